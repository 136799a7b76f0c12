"""Each host's JSON in, one event; one answer, each host's JSON out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from gitmail.errors import InvalidInput
from gitmail_hooks import hosts
from gitmail_hooks.hosts import HookAnswer, HookEvent, HookOutput

SESSION = "0f2c5a1e-8d0e-4a57-9a1b-2f6f0d2f9d11"
CLAUDE_COMMON = {
    "session_id": SESSION,
    "transcript_path": "/home/pat/.claude/projects/-work-acme/0f2c5a1e.jsonl",
    "cwd": "/home/pat/acme",
    "permission_mode": "default",
}
CODEX_COMMON = {
    "session_id": SESSION,
    "transcript_path": None,
    "cwd": "/home/pat/acme",
    "model": "gpt-5.2-codex",
    "permission_mode": "default",
}
GEMINI_COMMON = {
    "session_id": SESSION,
    "transcript_path": "/home/pat/.gemini/tmp/chat.json",
    "cwd": "/home/pat/acme",
    "timestamp": "2026-11-30T20:01:02.123Z",
}
CURSOR_COMMON = {
    "conversation_id": SESSION,
    "generation_id": "490b90b7-a2ce-4c2c-bb76-cb77b125df2f",
    "model": "default",
    "cursor_version": "3.2.1",
    "workspace_roots": ["/home/pat/acme", "/home/pat/other"],
    "user_email": None,
    "transcript_path": None,
}
VSCODE_COMMON = {
    "timestamp": "2026-11-30T20:01:02.000Z",
    "cwd": "/home/pat/acme",
    "sessionId": SESSION,
    "transcript_path": "/home/pat/.config/Code/transcript.json",
}

# host, event word, the host's own name, its fields beside the common ones
SAMPLES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("claude", "session-start", "SessionStart", {"source": "startup", "model": "claude"}),
    ("claude", "prompt", "UserPromptSubmit", {"prompt": "Fix the build"}),
    (
        "claude",
        "tool-used",
        "PostToolUse",
        {
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
            "tool_response": {"stdout": "a\n", "interrupted": False},
            "tool_use_id": "toolu_01",
            "duration_ms": 12,
        },
    ),
    (
        "claude",
        "stop",
        "Stop",
        {"stop_hook_active": False, "last_assistant_message": "Done.", "background_tasks": []},
    ),
    ("codex", "session-start", "SessionStart", {"source": "resume"}),
    ("codex", "prompt", "UserPromptSubmit", {"turn_id": "t1", "prompt": "Fix the build"}),
    (
        "codex",
        "tool-used",
        "PostToolUse",
        {
            "turn_id": "t1",
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
            "tool_response": "a\n",
            "tool_use_id": "call_1",
        },
    ),
    (
        "codex",
        "stop",
        "Stop",
        {"turn_id": "t1", "stop_hook_active": False, "last_assistant_message": None},
    ),
    ("gemini", "session-start", "SessionStart", {"source": "startup"}),
    ("gemini", "prompt", "BeforeAgent", {"prompt": "Fix the build"}),
    (
        "gemini",
        "tool-used",
        "AfterTool",
        {
            "tool_name": "run_shell_command",
            "tool_input": {"command": "ls"},
            "tool_response": {"llmContent": "a", "returnDisplay": "a"},
        },
    ),
    (
        "gemini",
        "stop",
        "AfterAgent",
        {"prompt": "Fix", "prompt_response": "Done.", "stop_hook_active": False},
    ),
    (
        "cursor",
        "session-start",
        "sessionStart",
        {"session_id": SESSION, "is_background_agent": False, "composer_mode": "agent"},
    ),
    ("cursor", "prompt", "beforeSubmitPrompt", {"prompt": "Fix", "attachments": []}),
    (
        "cursor",
        "tool-used",
        "postToolUse",
        {"tool_name": "Shell", "tool_input": {}, "tool_output": "{}", "duration": 4.5},
    ),
    ("cursor", "stop", "stop", {"status": "completed", "loop_count": 0, "loop_limit": 5}),
    ("vscode", "session-start", "SessionStart", {"source": "new"}),
    ("vscode", "prompt", "UserPromptSubmit", {"prompt": "Fix the build"}),
    (
        "vscode",
        "tool-used",
        "PostToolUse",
        {"tool_name": "editFiles", "tool_input": {}, "tool_use_id": "t", "tool_response": "ok"},
    ),
    ("vscode", "stop", "Stop", {"stop_hook_active": False}),
]
COMMON = {
    "claude": CLAUDE_COMMON,
    "codex": CODEX_COMMON,
    "gemini": GEMINI_COMMON,
    "cursor": CURSOR_COMMON,
    "vscode": VSCODE_COMMON,
}
EVENT_KEY = {"vscode": "hookEventName"}
SAMPLE_IDS = [f"{host}-{word}" for host, word, _name, _extra in SAMPLES]


def payload_of(host: str, name: str, extra: dict[str, Any]) -> dict[str, Any]:
    return COMMON[host] | {EVENT_KEY.get(host, "hook_event_name"): name} | extra


def encoded(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload).encode()


def event_of(host: str, word: str, **changes: Any) -> HookEvent:
    for sample_host, sample_word, name, extra in SAMPLES:
        if (sample_host, sample_word) == (host, word):
            return hosts.read_event(host, word, encoded(payload_of(host, name, extra) | changes))
    raise AssertionError((host, word))


@pytest.mark.parametrize(("host", "word", "name", "extra"), SAMPLES, ids=SAMPLE_IDS)
def test_a_real_sample_of_every_host_and_event_becomes_one_event(
    host: str, word: str, name: str, extra: dict[str, Any]
) -> None:
    event = hosts.read_event(host, word, encoded(payload_of(host, name, extra)))
    assert event.host == host
    assert event.kind == hosts.EVENT_WORDS[word]
    assert event.host_event == name
    assert event.session_id == SESSION
    assert event.cwd == "/home/pat/acme"
    assert not event.stop_hook_active
    assert event.subagent == ""


@pytest.mark.parametrize(("host", "word", "name", "extra"), SAMPLES, ids=SAMPLE_IDS)
def test_unknown_fields_and_a_missing_event_name_are_no_reason_to_fail(
    host: str, word: str, name: str, extra: dict[str, Any]
) -> None:
    payload = payload_of(host, name, extra) | {"a_field_of_next_year": {"deep": [1, None]}}
    payload.pop(EVENT_KEY.get(host, "hook_event_name"))
    event = hosts.read_event(host, word, b"\xef\xbb\xbf" + encoded(payload))
    assert event.session_id == SESSION


@pytest.mark.parametrize(
    ("host", "word", "expected"),
    [
        (
            "claude",
            "session-start",
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "X"}},
        ),
        (
            "claude",
            "prompt",
            {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "X"}},
        ),
        (
            "claude",
            "tool-used",
            {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "X"}},
        ),
        ("claude", "stop", {"decision": "block", "reason": "X"}),
        (
            "codex",
            "session-start",
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "X"}},
        ),
        (
            "codex",
            "prompt",
            {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "X"}},
        ),
        (
            "codex",
            "tool-used",
            {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "X"}},
        ),
        ("codex", "stop", {"decision": "block", "reason": "X"}),
        (
            "gemini",
            "session-start",
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "X"}},
        ),
        (
            "gemini",
            "prompt",
            {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "X"}},
        ),
        (
            "gemini",
            "tool-used",
            {"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "X"}},
        ),
        ("gemini", "stop", {"decision": "deny", "reason": "X"}),
        ("cursor", "session-start", {"additional_context": "X"}),
        ("cursor", "prompt", {}),
        ("cursor", "tool-used", {"additional_context": "X"}),
        ("cursor", "stop", {"followup_message": "X"}),
        (
            "vscode",
            "session-start",
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "X"}},
        ),
        (
            "vscode",
            "tool-used",
            {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "X"}},
        ),
        (
            "vscode",
            "stop",
            {"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "X"}},
        ),
    ],
)
def test_an_answer_takes_exactly_the_form_of_its_host(
    host: str, word: str, expected: dict[str, Any]
) -> None:
    output = hosts.render(event_of(host, word), HookAnswer("X"))
    assert json.loads(output.stdout) == expected
    assert output.stdout.count("\n") == 1
    assert output.stderr == ""
    assert output.exit_code == 0


@pytest.mark.parametrize(("host", "word"), [(h, w) for h in hosts.HOSTS for w in hosts.EVENT_WORDS])
@pytest.mark.parametrize("text", ["", " \n"])
def test_silence_is_nothing_or_an_empty_object_and_exit_code_zero(
    host: str, word: str, text: str
) -> None:
    output = hosts.render(event_of(host, word), HookAnswer(text))
    empty = "{}\n" if host in ("gemini", "cursor") else ""
    assert output == HookOutput(empty, "", 0)
    assert hosts.silent(host) == output


@pytest.mark.parametrize(("host", "word"), [("cursor", "prompt"), ("vscode", "prompt")])
def test_where_a_host_drops_context_nothing_is_said_and_nothing_counts_as_announced(
    host: str, word: str
) -> None:
    event = event_of(host, word)
    assert not hosts.may_speak(event)
    assert hosts.render(event, HookAnswer("X")) == hosts.silent(host)


def test_codex_context_stays_under_the_length_where_the_host_cuts_it() -> None:
    output = hosts.render(event_of("codex", "prompt"), HookAnswer("é" * 20_000))
    assert len(json.loads(output.stdout)["hookSpecificOutput"]["additionalContext"]) == 10_000


def test_output_is_ascii_so_that_no_locale_can_break_it() -> None:
    output = hosts.render(event_of("gemini", "prompt"), HookAnswer("héllo ☃"))
    assert output.stdout.isascii()
    assert json.loads(output.stdout)["hookSpecificOutput"]["additionalContext"] == "héllo ☃"


@pytest.mark.parametrize(
    ("host", "changes"),
    [
        ("claude", {"stop_hook_active": True}),
        ("codex", {"stop_hook_active": True}),
        ("gemini", {"stop_hook_active": True}),
        ("vscode", {"stop_hook_active": True}),
        ("cursor", {"loop_count": 1}),
    ],
)
def test_a_turn_that_a_stop_hook_prolonged_is_never_prolonged_again(
    host: str, changes: dict[str, Any]
) -> None:
    event = event_of(host, "stop", **changes)
    assert event.stop_hook_active
    assert not hosts.may_speak(event)
    assert hosts.may_speak(event_of(host, "stop"))


@pytest.mark.parametrize("host", ["claude", "codex", "vscode"])
def test_a_subagent_is_not_told_of_its_parents_mail(host: str) -> None:
    event = event_of(host, "tool-used", agent_id="agent-7", agent_type="Explore")
    assert event.subagent == "agent-7"
    assert not hosts.may_speak(event)


def test_vs_code_may_run_the_hooks_of_claude_settings() -> None:
    payload = VSCODE_COMMON | {"hookEventName": "PostToolUse"}
    assert hosts.read_event("claude", "tool-used", encoded(payload)).session_id == SESSION


@pytest.mark.parametrize("host", hosts.HOSTS)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"\xff\xfe\x00",
        b"[]",
        b'"text"',
        b"null",
        b"{}",
        b"{" * 100_000,
        b"[" * 100_000,
        b'{"session_id": 7, "sessionId": 7, "conversation_id": 7}',
        b'{"session_id": "", "sessionId": "", "conversation_id": ""}',
        b'{"session_id": "a\\nb", "sessionId": "a\\nb", "conversation_id": "a\\nb"}',
        b'{"session_id": "s", "sessionId": "s", "conversation_id": "s", "cwd": ["x"]}',
        b'{"session_id": "s", "sessionId": "s", "conversation_id": "s", "cwd": "a\\u0000b"}',
    ],
)
def test_garbage_is_refused_and_ends_in_one_quiet_line(host: str, data: bytes) -> None:
    with pytest.raises(InvalidInput) as caught:
        hosts.read_event(host, "stop", data)
    assert caught.value.code == "invalid_hook_input"
    output = hosts.silent(host, caught.value.message)
    assert output.exit_code == 0
    assert output.stdout in ("", "{}\n")
    assert output.stderr.startswith("gitmail hook: ")
    assert output.stderr.count("\n") == 1
    assert len(output.stderr) < 400


@pytest.mark.parametrize(
    ("host", "changes"),
    [
        ("claude", {"stop_hook_active": "false"}),
        ("codex", {"stop_hook_active": 0}),
        ("cursor", {"loop_count": True}),
        ("cursor", {"loop_count": -1}),
        ("cursor", {"workspace_roots": "/work"}),
        ("cursor", {"workspace_roots": [1]}),
        ("claude", {"hook_event_name": "SubagentStop"}),
        ("vscode", {"hookEventName": "PreToolUse"}),
        ("claude", {"agent_id": 5}),
    ],
)
def test_a_used_field_of_the_wrong_kind_is_refused(host: str, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="hook input of"):
        event_of(host, "stop", **changes)


def test_an_unknown_host_or_event_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as caught:
        hosts.read_event("emacs", "stop", b"{}")
    assert (caught.value.code, "codex" in caught.value.hint) == ("invalid_host", True)
    with pytest.raises(InvalidInput) as caught:
        hosts.read_event("claude", "Stop", b"{}")
    assert (caught.value.code, "tool-used" in caught.value.hint) == ("invalid_event", True)


def test_cursor_without_a_folder_says_so_with_an_empty_one() -> None:
    assert event_of("cursor", "stop", workspace_roots=[]).cwd == ""
    assert event_of("cursor", "stop", workspace_roots=None).cwd == ""


@pytest.mark.parametrize("host", hosts.HOSTS)
def test_the_hook_path_imports_only_light_modules(host: str) -> None:
    program = (
        "import sys; before = set(sys.modules);"
        f"import gitmail.values.hints, gitmail_hooks.hosts as h; h.adapter({host!r});"
        "print(*sorted(set(sys.modules) - before))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(result.stdout.split())
    heavy = {"dataclasses", "inspect", "pathlib", "subprocess", "asyncio", "sqlite3", "yaml"}
    heavy |= {"mcp", "git", "click", "rich", "logging", "tempfile", "gitmail_hooks.setup"}
    assert not loaded & heavy
    others = {f"gitmail_hooks.hosts.{other}" for other in hosts.HOSTS if other != host}
    assert not loaded & others
