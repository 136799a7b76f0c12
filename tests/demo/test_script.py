"""The correspondence that ships keeps to the contracts before any server has seen it."""

from __future__ import annotations

import pytest

from gitmail.demo.sample import sample_script
from gitmail.demo.script import Step, load_script
from gitmail.errors import InvalidInput
from gitmail.values.names import check_agent_name, name_from_person
from gitmail.values.secrets import find_secret
from gitmail.values.text import check_subject, check_text

# contract memory_message: which argument belongs to which action, what each needs, the bounds.
ARGUMENTS = {
    "send": {"to", "text", "request_id", "reply_to", "clears", "urgent", "subject", "thread"},
    "receive": {"ack", "after", "limit"},
    "ack": {"message_id"},
    "history": {"after", "limit", "peer"},
}
REQUIRED = {"send": {"text", "request_id"}, "receive": set(), "ack": {"message_id"}}
MOST_CHARACTERS = {"to": 120, "request_id": 120, "clears": 120, "thread": 120}
TEXT_BYTES = 8_192
# contract fetch_inbox.
INBOX_ARGUMENTS = {
    "project_key",
    "agent_name",
    "limit",
    "urgent_only",
    "unread_only",
    "since_ts",
    "topic",
    "include_bodies",
    "format",
    "registration_token",
}
SCRIPT = sample_script()
STEPS = {f"{step.number} {step.say}": step for step in SCRIPT.steps}


def steps(tool: str) -> pytest.MarkDecorator:
    chosen = {name: step for name, step in STEPS.items() if step.tool == tool}
    return pytest.mark.parametrize("step", chosen.values(), ids=chosen.keys())


@steps("memory_message")
def test_a_memory_message_step_is_within_the_contract(step: Step) -> None:
    action = step.arguments["action"]
    given = step.arguments.keys() - {"action"}
    assert given <= ARGUMENTS[action]
    assert REQUIRED[action] <= given
    for name, most in MOST_CHARACTERS.items():
        assert 0 < len(step.arguments.get(name, "-")) <= most
    assert type(step.arguments.get("limit", 50)) is int
    assert 1 <= step.arguments.get("limit", 50) <= 50
    if action == "send":
        assert given & {"to", "reply_to"}
        check_subject(step.arguments["subject"])
        check_text(step.arguments["text"], "text", TEXT_BYTES)
        assert find_secret(step.arguments["text"]) is None


@steps("fetch_inbox")
def test_a_fetch_inbox_step_is_within_the_contract(step: Step) -> None:
    assert step.arguments.keys() <= INBOX_ARGUMENTS
    assert {"project_key", "agent_name"} <= step.arguments.keys()
    assert 1 <= step.arguments.get("limit", 20) <= 1000
    assert step.commits == 0


def test_only_tools_of_the_core_toolset_are_used() -> None:
    used = {"memory_message", "fetch_inbox", "file_reservations", None}
    assert {step.tool for step in SCRIPT.steps} == used


def test_one_commit_is_stopped_and_shown() -> None:
    (stopped,) = [step for step in SCRIPT.steps if step.commit]
    assert (stopped.save, stopped.commits) == (SCRIPT.exhibit.stopped, 0)


def test_a_request_id_is_reused_for_the_identical_send_only() -> None:
    seen: dict[tuple[str, str], Step] = {}
    for step in SCRIPT.steps:
        if "request_id" not in step.arguments:
            continue
        first = seen.setdefault((step.agent, step.arguments["request_id"]), step)
        if first is not step:
            assert step.commits == 0
            repeated = dict(step.arguments) | {"text": first.arguments["text"]}
            assert repeated == first.arguments


def test_the_players_are_three_with_good_names_one_of_them_in_the_worktree() -> None:
    for player in SCRIPT.players:
        assert check_agent_name(player.name) == player.name
        assert player.program
        assert player.model
        assert player.task
    assert [player.checkout for player in SCRIPT.players].count("worktree") == 1
    assert {player.era for player in SCRIPT.players} == {"auto", "legacy"}
    assert name_from_person(SCRIPT.person.name) == SCRIPT.person.mailbox
    assert SCRIPT.waiting.keys() == {p.name for p in SCRIPT.players} | {SCRIPT.person.mailbox}


def test_the_correspondence_shows_what_mail_can_do() -> None:
    everything = [dict(step.arguments) for step in SCRIPT.steps]
    words = [word for step in SCRIPT.steps for word in step.command]
    assert any(arguments.get("to") == "all" for arguments in everything)
    assert any(arguments.get("urgent") for arguments in everything)
    assert any("reply_to" in arguments for arguments in everything)
    assert any(arguments.get("action") == "ack" for arguments in everything)
    assert any("```" in arguments.get("text", "") for arguments in everything)
    assert {"--cc", "high", "--ack"} <= set(words)


HEAD = """
[project]
name = "p"
branch = "b"
person = { name = "Pat Person", mailbox = "PatPerson", email = "pat@example.com" }
[[agents]]
name = "BlueLake"
checkout = "main"
program = "p"
model = "m"
task = "t"
[waiting]
[show]
owner = "BlueLake"
letter = "$one.id"
answer = "one"
"""
GOOD = '[[steps]]\nsay = "s"\nagent = "BlueLake"\ntool = "fetch_inbox"\nsave = "one"\n'


def test_the_least_script_loads() -> None:
    script = load_script((HEAD + GOOD).encode(), "x.toml")
    assert [step.number for step in script.steps] == [1]
    assert script.steps[0].commits == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("=", "Invalid statement"),
        (GOOD, "missing key 'project'"),
        (HEAD, "missing key 'steps'"),
        (HEAD + GOOD + "extra = 1\n", "step 1: unknown key 'extra'"),
        (HEAD + GOOD + 'command = ["send"]\n', "step 1: one of tool, command and commit"),
        (HEAD + GOOD + 'expect = { id = "$two.id" }\n', "step 1: nothing was saved as 'two'"),
        (HEAD + GOOD + 'arguments = { a = ["$one.id"] }\n', "step 1: nothing was saved as 'one'"),
        (HEAD + GOOD + GOOD, "step 2: 'one' is saved twice"),
        (HEAD + GOOD.replace("BlueLake", "Nobody"), "step 1: Nobody is not who can act like that"),
        (HEAD + GOOD.replace("BlueLake", "PatPerson"), "step 1: PatPerson is not who can act"),
        (HEAD + GOOD.replace('"one"', '"two"'), "show: nothing is saved as 'one'"),
        (HEAD.replace('task = "t"', 'tusk = "t"') + GOOD, "tusk"),
    ],
)
def test_a_broken_script_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        load_script(text.encode(), "x.toml")
    assert refused.value.code == "invalid_correspondence"
    assert refused.value.message.startswith("x.toml: ")
    assert problem in refused.value.message
