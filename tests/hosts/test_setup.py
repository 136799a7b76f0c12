"""`gitmail setup`: what it writes for each host, that it keeps the rest, and that it undoes."""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmail.errors import InvalidInput, Refused
from gitmail_hooks.hosts import HOSTS
from gitmail_hooks.setup.apply import apply
from gitmail_hooks.setup.command import check_command
from gitmail_hooks.setup.edits import BACKUP_SUFFIX
from gitmail_hooks.setup.plan import diff, notes, plan, plan_undo
from gitmail_hooks.setup.shapes import Scope

GITMAIL = ("/opt/git mail/bin/gitmail",)
SCOPES: tuple[Scope, ...] = ("project", "user")


class Place:
    """A project and a home in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.home = folder / "home"
        self.project.mkdir(parents=True)
        self.home.mkdir()

    def top(self, scope: Scope) -> Path:
        return self.project if scope == "project" else self.home

    def setup(self, host: str, scope: Scope = "project", **options: Any) -> list[str]:
        command = options.pop("command", GITMAIL)
        return apply(plan(host, scope, str(self.project), str(self.home), command, **options))

    def undo(self, host: str, scope: Scope = "project") -> list[str]:
        return apply(plan_undo(host, scope, str(self.project), str(self.home)))

    def files(self) -> dict[str, bytes]:
        root = self.project.parent
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def claude_hook(*words: str) -> dict[str, Any]:
    return {"type": "command", "command": GITMAIL[0], "args": ["hook", *words], "timeout": 10}


def line(*words: str) -> str:
    return " ".join(["'/opt/git mail/bin/gitmail' hook", *words])


EXPECTED: dict[tuple[str, str], dict[str, Any]] = {
    ("claude", "project/.mcp.json"): {
        "mcpServers": {"gitmail": {"type": "stdio", "command": GITMAIL[0], "args": ["serve"]}}
    },
    ("claude", "project/.claude/settings.json"): {
        "hooks": {
            "SessionStart": [{"hooks": [claude_hook("claude", "session-start")]}],
            "UserPromptSubmit": [{"hooks": [claude_hook("claude", "prompt")]}],
            "PostToolUse": [{"hooks": [claude_hook("claude", "tool-used")]}],
        }
    },
    ("codex", "project/.codex/config.toml"): {
        "mcp_servers": {"gitmail": {"command": GITMAIL[0], "args": ["serve"]}}
    },
    ("codex", "project/.codex/hooks.json"): {
        "hooks": {
            name: [{"hooks": [{"type": "command", "command": line("codex", word), "timeout": 10}]}]
            for name, word in (
                ("SessionStart", "session-start"),
                ("UserPromptSubmit", "prompt"),
                ("PostToolUse", "tool-used"),
            )
        }
    },
    ("gemini", "project/.gemini/settings.json"): {
        "mcpServers": {"gitmail": {"command": GITMAIL[0], "args": ["serve"]}},
        "hooks": {
            name: [
                {"hooks": [{"type": "command", "command": line("gemini", word), "timeout": 10_000}]}
            ]
            for name, word in (
                ("SessionStart", "session-start"),
                ("BeforeAgent", "prompt"),
                ("AfterTool", "tool-used"),
            )
        },
    },
    ("cursor", "project/.cursor/mcp.json"): {
        "mcpServers": {"gitmail": {"command": GITMAIL[0], "args": ["serve"]}}
    },
    ("cursor", "project/.cursor/hooks.json"): {
        "version": 1,
        "hooks": {
            "sessionStart": [{"command": line("cursor", "session-start")}],
            "postToolUse": [{"command": line("cursor", "tool-used")}],
        },
    },
    ("vscode", "project/.vscode/mcp.json"): {
        "servers": {"gitmail": {"type": "stdio", "command": GITMAIL[0], "args": ["serve"]}}
    },
    ("vscode", "project/.github/hooks/gitmail.json"): {
        "hooks": {
            name: [{"type": "command", "command": line("vscode", word), "timeout": 10}]
            for name, word in (("SessionStart", "session-start"), ("PostToolUse", "tool-used"))
        }
    },
}
USER_FILES = {
    "claude": {"home/.claude.json", "home/.claude/settings.json"},
    "codex": {"home/.codex/config.toml", "home/.codex/hooks.json"},
    "gemini": {"home/.gemini/settings.json"},
    "cursor": {"home/.cursor/mcp.json", "home/.cursor/hooks.json"},
    "vscode": {"home/.copilot/mcp-config.json", "home/.copilot/hooks/gitmail.json"},
}


def loaded(name: str, data: bytes) -> Any:
    text = data.decode()
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_gets_its_own_files_in_its_own_form(host: str, place: Place) -> None:
    place.setup(host)
    written = {name: loaded(name, data) for name, data in place.files().items()}
    assert written == {name: value for (owner, name), value in EXPECTED.items() if owner == host}


@pytest.mark.parametrize("host", HOSTS)
def test_the_users_own_files_are_below_the_home(host: str, place: Place) -> None:
    place.setup(host, "user")
    assert set(place.files()) == USER_FILES[host]


@pytest.mark.parametrize(
    ("host", "event", "timeout"),
    [("claude", "Stop", 3600), ("codex", "Stop", 3600), ("gemini", "AfterAgent", 3_600_000)],
)
def test_the_stop_hook_comes_only_when_asked_for(
    host: str, event: str, timeout: int, place: Place
) -> None:
    place.setup(host)
    assert event not in str(place.files())
    place.setup(host, rewake=True)
    hooks = [
        loaded(name, data)["hooks"][event]
        for name, data in place.files().items()
        if event.encode() in data and not name.endswith(BACKUP_SUFFIX)
    ]
    assert len(hooks) == 1
    assert hooks[0][0]["hooks"][0]["timeout"] == timeout
    assert "stop" in str(hooks)
    assert "--rewake" in str(hooks)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("host", HOSTS)
def test_a_second_run_changes_nothing_and_undo_leaves_nothing(
    host: str, scope: Scope, place: Place
) -> None:
    assert place.setup(host, scope)
    after = place.files()
    assert place.setup(host, scope) == []
    assert place.files() == after
    place.undo(host, scope)
    assert place.files() == {}
    assert list(place.top(scope).iterdir()) == []
    assert place.undo(host, scope) == []


JSON_FILES = [
    ("claude", "project", ".mcp.json"),
    ("claude", "project", ".claude/settings.json"),
    ("claude", "user", ".claude.json"),
    ("codex", "project", ".codex/hooks.json"),
    ("gemini", "project", ".gemini/settings.json"),
    ("cursor", "project", ".cursor/mcp.json"),
    ("cursor", "project", ".cursor/hooks.json"),
    ("vscode", "project", ".vscode/mcp.json"),
]
LIVED_IN = """\ufeff// My settings. Do not sort.
{
\t/* servers */
\t"mcpServers": { "db": {"command": "db", "args": []} , },
\t"servers": {},
\t"theme": "é☃", // dark
\t"hooks": {
\t\t"SessionStart": [
\t\t\t{"matcher": "startup", "hooks": [{"type": "command", "command": "echo hi"}]}, // mine
\t\t],
\t\t"PostToolUse": [],
\t\t"sessionStart": [{"command": "./mine.sh"}],
\t},
\t"version": 1,
}
"""


@pytest.mark.parametrize(("host", "scope", "name"), JSON_FILES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("final", ["", "\n"])
def test_everything_else_in_a_file_stays_byte_for_byte(
    host: str, scope: Scope, name: str, newline: str, final: str, place: Place
) -> None:
    file = place.top(scope) / name
    file.parent.mkdir(exist_ok=True)
    original = (LIVED_IN.rstrip("\n") + final).replace("\n", newline).encode()
    file.write_bytes(original)
    file.chmod(0o640)
    place.setup(host, scope)
    changed = file.read_bytes()
    assert changed != original
    remaining = iter(changed)
    assert all(byte in remaining for byte in original)
    assert (b"\r\n" in changed) == (newline == "\r\n")
    assert changed.count(b"\n") == changed.count(newline.encode())
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert file.with_name(file.name + BACKUP_SUFFIX).read_bytes() == original
    assert place.setup(host, scope) == []
    place.undo(host, scope)
    assert file.read_bytes() == original
    assert not file.with_name(file.name + BACKUP_SUFFIX).exists()


@pytest.mark.parametrize(("host", "scope", "name"), JSON_FILES)
def test_undo_after_later_changes_takes_out_only_our_members(
    host: str, scope: Scope, name: str, place: Place
) -> None:
    file = place.top(scope) / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(LIVED_IN.replace("\t", "  "), encoding="utf-8")
    place.setup(host, scope, rewake=True)
    later = file.read_text(encoding="utf-8").replace('"theme": "é☃"', '"theme": "light"')
    file.write_text(later, encoding="utf-8")
    place.undo(host, scope)
    left = file.read_text(encoding="utf-8")
    assert "gitmail" not in left
    assert '"theme": "light", // dark' in left
    assert '"command": "echo hi"' in left
    assert '"./mine.sh"' in left
    assert "// My settings. Do not sort." in left
    assert "/* servers */" in left
    assert file.with_name(file.name + BACKUP_SUFFIX).exists()
    assert place.undo(host, scope) == []


def test_undo_keeps_what_a_person_added_to_a_file_that_setup_made(place: Place) -> None:
    place.setup("gemini")
    file = place.project / ".gemini/settings.json"
    values = json.loads(file.read_bytes())
    values["theme"] = "dark"
    values["mcpServers"]["db"] = {"command": "db"}
    values["hooks"]["AfterTool"].append({"hooks": [{"type": "command", "command": "mine"}]})
    file.write_text(json.dumps(values, indent=4))
    place.undo("gemini")
    assert json.loads(file.read_bytes()) == {
        "theme": "dark",
        "mcpServers": {"db": {"command": "db"}},
        "hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "mine"}]}]},
    }


def test_a_moved_program_is_brought_up_to_date_in_place(place: Place) -> None:
    for host in HOSTS:
        place.setup(host, command=("/old/gitmail",))
        first = place.files()
        place.setup(host, command=("/new/python", "-m", "gitmail"))
        second = place.files()
        assert b"/old/" not in b"".join(second.values())
        assert set(second) == set(first)
        assert place.setup(host, command=("/new/python", "-m", "gitmail")) == []
        place.undo(host)
        assert place.files() == {}


def test_what_a_person_added_to_our_server_survives_an_update(place: Place) -> None:
    file = place.project / ".mcp.json"
    file.write_text(
        '{"mcpServers": {"gitmail": {"command": "old", "args": ["serve"], "env": {"A": "1"}}}}'
    )
    place.setup("claude", command=("new", "-q"))
    server = json.loads(file.read_bytes())["mcpServers"]["gitmail"]
    assert server == {"command": "new", "args": ["-q", "serve"], "env": {"A": "1"}}


def test_one_mcp_json_serves_claude_code_and_vs_code(place: Place) -> None:
    place.setup("claude")
    assert not any("mcp.json" in path for path in place.setup("vscode"))
    assert not (place.project / ".vscode").exists()


@pytest.mark.parametrize(
    ("host", "name", "text", "where"),
    [
        ("claude", ".mcp.json", '{\n  "mcpServers": {\n    "a": oops\n  }\n}', 3),
        ("claude", ".mcp.json", "[]", 1),
        ("claude", ".mcp.json", '{\n"mcpServers": []}', 2),
        ("claude", ".claude/settings.json", '{\n\n"hooks": {"SessionStart": {}}}', 3),
        ("gemini", ".gemini/settings.json", '{"a": 1\n<<<<<<< HEAD\n}', 2),
        ("codex", ".codex/config.toml", "a = 1\nb = \n", 2),
        ("codex", ".codex/config.toml", "a = 1\na = 2\n", 2),
        ("cursor", ".cursor/mcp.json", "{'a': 1}", 1),
    ],
)
def test_a_file_that_is_not_valid_is_refused_with_its_line_and_left_alone(
    host: str, name: str, text: str, where: int, place: Place
) -> None:
    file = place.project / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    before = place.files()
    with pytest.raises(Refused) as caught:
        place.setup(host)
    assert caught.value.code == "invalid_config_file"
    assert caught.value.facts["line"] == where
    assert f"{name}:{where}" in caught.value.message
    assert place.files() == before


def test_a_file_in_another_encoding_is_refused(place: Place) -> None:
    (place.project / ".mcp.json").write_bytes('{\n"é": 1}'.encode("latin-1"))
    with pytest.raises(Refused) as caught:
        place.setup("claude")
    assert caught.value.facts["line"] == 2


@pytest.mark.parametrize(
    ("host", "name", "text"),
    [
        ("claude", ".mcp.json", '{"mcpServers":\n{"gitmail": {"command": "gmail"}}}'),
        ("codex", ".codex/config.toml", '\n[mcp_servers.gitmail]\ncommand = "gmail"\n'),
    ],
)
def test_another_server_of_the_same_name_is_not_touched(
    host: str, name: str, text: str, place: Place
) -> None:
    file = place.project / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    with pytest.raises(Refused) as caught:
        place.setup(host)
    assert (caught.value.code, caught.value.facts["line"]) == ("server_name_taken", 2)
    assert place.undo(host) == []
    assert file.read_text() == text


TOML_BEFORE = (
    '# mine\nmodel = "x" # keep\n\n[mcp_servers.db]\ncommand = "db"\nargs = [\n  "a",\n]\n'
)


@pytest.mark.parametrize(
    "before",
    [
        TOML_BEFORE,
        TOML_BEFORE.replace("\n", "\r\n"),
        TOML_BEFORE.rstrip("\n"),
        "",
        "\n\n# only a comment",
        "mcp_servers.db.command = 'db'\n",
        "[mcp_servers]\n",
        'text = """\n[mcp_servers.gitmail]\n"""\n',
        "\ufeff# bom\n",
    ],
)
def test_a_toml_file_keeps_every_byte_and_is_restored(before: str, place: Place) -> None:
    file = place.project / ".codex/config.toml"
    file.parent.mkdir()
    file.write_bytes(before.encode())
    place.setup("codex")
    after = file.read_bytes()
    assert after.startswith(before.encode())
    values = tomllib.loads(after.decode("utf-8-sig"))
    assert values["mcp_servers"]["gitmail"] == {"command": GITMAIL[0], "args": ["serve"]}
    assert place.setup("codex") == []
    place.undo("codex")
    assert file.read_bytes() == before.encode()


def test_a_toml_file_changed_later_loses_only_our_table(place: Place) -> None:
    file = place.project / ".codex/config.toml"
    file.parent.mkdir()
    file.write_text(TOML_BEFORE)
    place.setup("codex")
    file.write_text(
        "new = 1\n"
        + file.read_text()
        + '\n[mcp_servers.gitmail.env]\nA = "1"\n\n# about z\n[mcp_servers.z]\ncommand = "z"\n'
    )
    place.undo("codex")
    assert file.read_text() == (
        "new = 1\n" + TOML_BEFORE + '\n# about z\n[mcp_servers.z]\ncommand = "z"\n'
    )


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", 'mcp_servers = {db = {command = "db"}}\n', "mcp_servers = 1\n"]
)
def test_a_toml_layout_that_allows_no_table_is_refused(text: str, place: Place) -> None:
    file = place.project / ".codex/config.toml"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(Refused) as caught:
        place.setup("codex")
    assert caught.value.code == "config_not_editable"
    assert file.read_text() == text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_any_program_name_survives_toml(program: str) -> None:
    from gitmail_hooks.setup import toml_table

    text = toml_table.install("", program, [program, "serve"], "f")
    assert tomllib.loads(text)["mcp_servers"]["gitmail"]["command"] == program
    assert toml_table.install(text, program, [program, "serve"], "f") == text


def test_a_linked_file_stays_a_link_and_its_target_changes(place: Place) -> None:
    target = place.home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text('{"a": 1}\n')
    link = place.home / ".claude.json"
    link.symlink_to(target)
    place.setup("claude", "user")
    assert link.is_symlink()
    assert "gitmail" in target.read_text()
    assert (target.parent / ("claude.json" + BACKUP_SUFFIX)).read_text() == '{"a": 1}\n'
    place.undo("claude", "user")
    assert target.read_text() == '{"a": 1}\n'
    assert link.is_symlink()


def test_a_folder_or_a_loop_in_a_files_place_is_refused(place: Place) -> None:
    (place.project / ".mcp.json").mkdir()
    with pytest.raises(Refused) as caught:
        place.setup("claude")
    assert caught.value.code == "config_not_a_file"
    loop = place.project / ".gemini"
    loop.symlink_to(loop)
    with pytest.raises(Refused):
        place.setup("gemini")


def test_a_file_changed_between_plan_and_apply_is_not_overwritten(place: Place) -> None:
    file = place.project / ".mcp.json"
    file.write_text("{}")
    edits = plan("claude", "project", str(place.project), str(place.home), GITMAIL)
    file.write_text('{"mine": 1}')
    before = place.files()
    with pytest.raises(Refused) as caught:
        apply(edits)
    assert caught.value.code == "config_changed"
    assert place.files() == before


def test_planning_and_showing_write_nothing(place: Place) -> None:
    (place.project / ".mcp.json").write_text('{\n  "x": 1\n}')
    before = place.files()
    edits = plan("claude", "project", str(place.project), str(place.home), GITMAIL)
    text = "".join(diff(edit) for edit in edits)
    assert '+    "gitmail": {' in text
    assert f"--- {os.devnull}" in text
    assert all(edit.description for edit in edits)
    assert place.files() == before


@pytest.mark.parametrize("host", HOSTS)
def test_every_host_has_a_note_for_the_person(host: str) -> None:
    assert notes(host).endswith(".")


def test_an_unknown_host_is_refused(place: Place) -> None:
    with pytest.raises(InvalidInput):
        place.setup("emacs")
    with pytest.raises(InvalidInput):
        place.undo("emacs")


def program(folder: Path, text: str) -> str:
    path = folder / "gitmail"
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_command_that_names_its_version_is_accepted(tmp_path: Path) -> None:
    path = program(tmp_path, "print('gitmail 1.2')")
    assert check_command([path]) == "gitmail 1.2"
    assert check_command(["gitmail"], search_path=str(tmp_path)) == "gitmail 1.2"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("raise SystemExit(3)", "command_failed"),
        ("print('mailer 1')", "command_failed"),
        ("print(input())", "command_failed"),
    ],
)
def test_a_command_that_does_not_run_gitmail_is_refused(
    text: str, code: str, tmp_path: Path
) -> None:
    with pytest.raises(Refused) as caught:
        check_command([program(tmp_path, text)])
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("/no/such/gitmail", "command_not_found"),
        ("gitmail-that-is-not-there", "command_not_found"),
        ("./gitmail", "command_not_absolute"),
        ("bin/gitmail", "command_not_absolute"),
    ],
)
def test_a_missing_or_relative_command_is_refused(command: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        check_command([command])
    assert caught.value.code == code
