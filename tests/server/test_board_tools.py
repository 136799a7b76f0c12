"""memory_agents and wait_for_mail through the SDK's client (contract: the board, wait_for_mail)."""

from __future__ import annotations

import time
from typing import Any

import anyio
import pytest
from server_desk import BLUE, ERAS, GREEN, RED, Project, Voice, git, talk


def _named(board: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in board["agents"]}


def test_the_board_lists_who_is_there_and_what_each_is_at(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        await green("memory_agents", action="update", status="Reading the parser", task="Parser")
        await blue("memory_agents", action="update", project="shop")
        board = await blue("memory_agents", action="list")
        agents = _named(board)
        assert set(agents) == {BLUE, GREEN}
        assert (board["idle_omitted"], board["truncated"]) == (1, False)
        assert agents[GREEN]["presence"] == "attached"
        assert agents[GREEN]["status"] == "Reading the parser"
        assert agents[GREEN]["status_age"] < 60
        assert "waiting" not in agents[GREEN]
        assert agents[BLUE]["waiting"] == 0
        assert _named(await blue("memory_agents", action="list", project="shop")).keys() == {BLUE}
        assert _named(await blue("memory_agents", action="list", task="PARS")).keys() == {GREEN}

    talk(project, play, BLUE, GREEN)


def test_a_park_is_told_with_every_result_until_a_status_ends_it(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        before = project.commits()
        park = {"park_reason": "waiting_peer", "park_needs": "the parser fix"}
        parked = await green("memory_agents", action="update", status="Waiting", **park)
        assert project.commits() == before + 1
        assert parked["parked"] == {"reason": "waiting_peer", "needs": "the parser fix"}
        assert parked["agent"]["park"]["needs"] == "the parser fix"
        assert "parked" in await green("memory_message", action="receive")

        sent = await blue(
            "memory_message", action="send", to=GREEN, text="Lunch?", request_id="lunch"
        )
        assert sent["wake"]["decision"] == "withheld"
        assert sent["wake"]["park_needs"] == "the parser fix"
        cleared = await blue(
            "memory_message",
            action="send",
            to=GREEN,
            text="It is in.",
            request_id="fixed",
            clears="The parser fix is on main",
        )
        assert cleared["wake"]["decision"] == "no_path"
        assert cleared["wake"]["fallback_paths"]

        refined = await green("memory_agents", action="update", park_resume="Rebase first")
        assert refined["agent"]["park"]["resume"] == "Rebase first"
        back = await green("memory_agents", action="update", status="Rebasing")
        assert "parked" not in back
        assert "park" not in back["agent"]
        subject = git(project.store, "log", "-1", "--format=%s", "main")
        assert subject == f"board: {GREEN}: Rebasing"

    talk(project, play, BLUE, GREEN)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"action": "update"}, "missing_parameter"),
    ({"action": "list", "status": "x"}, "unexpected_parameter"),
    ({"action": "park"}, "invalid_action"),
    ({"action": "update", "park_reason": "bored"}, "invalid_park"),
    ({"action": "update", "park_reason": 5}, "invalid_park"),
    ({"action": "update", "park_needs": "x"}, "invalid_park"),
    ({"action": "update", "park_reason": "done", "park_expires": "2020-01-01"}, "invalid_park"),
    ({"action": "update", "park_reason": "done", "park_needs": "x" * 121}, "invalid_park"),
    ({"action": "update", "status": "x" * 241}, "invalid_status"),
    ({"action": "update", "status": "fine", "park_reason": "bored"}, "invalid_park"),
    ({"action": "update", "name": "The Maintainer"}, "invalid_name"),
    ({"action": "update", "expect": 60}, "invalid_expect"),
    ({"action": "update", "status": "key AKIA" + "IOSFODNN7EXAMPLQ"}, "secret_like"),
]


def test_an_invalid_field_applies_nothing(project: Project) -> None:
    async def play(blue: Voice) -> None:
        before = project.commits()
        for arguments, code in REFUSED:
            answer = await blue("memory_agents", **arguments)
            assert answer.error == code, (arguments, answer)
            if code == "invalid_park":
                assert answer.get("accepted") or answer["hint"], answer
        assert project.commits() == before

    talk(project, play, BLUE)


def test_the_same_update_again_writes_nothing(project: Project) -> None:
    async def play(blue: Voice) -> None:
        for _ in range(2):
            answer = await blue("memory_agents", action="update", task="Parser", project="shop")
        assert answer["changed"] == []

    before = project.commits()
    talk(project, play, BLUE)
    assert project.commits() == before + 1


@pytest.mark.parametrize("era", ERAS)
def test_waiting_ends_when_a_letter_comes_and_rings_a_sleeper(project: Project, era: str) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        await green("memory_agents", action="update", status="Off", park_reason="blocked")
        woken: list[dict[str, Any]] = []

        async def sleep_for_ring() -> None:
            woken.append(await green("wait_for_mail", timeout=20, **{"for": "ring"}))

        async with anyio.create_task_group() as group:
            group.start_soon(sleep_for_ring)
            await _until_listening(blue)
            quiet = await blue(
                "memory_message", action="send", to=GREEN, text="No hurry.", request_id="quiet"
            )
            assert (quiet["wake"]["decision"], quiet["path"]) == ("withheld", "live")
            loud = await blue(
                "memory_message",
                action="send",
                to=GREEN,
                text="Come.",
                request_id="loud",
                urgent=True,
            )
            assert loud["wake"]["decision"] == "rung"
            assert loud["wake"]["ring_at"]
        [answer] = woken
        assert (answer["woke"], answer["from"], answer["reason"]) == (True, [BLUE], "ring")
        assert answer["waiting"] == 2
        late = await green("wait_for_mail", timeout=1)
        assert (late["woke"], late["from"]) == (True, [BLUE])  # the quiet one was not told yet
        last = await green("wait_for_mail", timeout=1)
        assert (last["woke"], last["reason"], last["waiting"]) == (False, "timeout", 2)

    talk(project, play, BLUE, GREEN, era=era)


async def _until_listening(voice: Voice) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        board = _named(await voice("memory_agents", action="list"))
        if board.get(GREEN, {}).get("listening"):
            return
        await anyio.sleep(0.05)
    raise AssertionError("nobody listens")


def test_what_was_received_wakes_nobody(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        await blue("memory_message", action="send", to=GREEN, text="Hello.", request_id="hello")
        await green("memory_message", action="receive")
        answer = await green("wait_for_mail", timeout=1)
        assert (answer["woke"], answer["waiting"]) == (False, 1)

    talk(project, play, BLUE, GREEN)


def test_a_wait_that_the_caller_gives_up_disarms_the_listener(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        with anyio.move_on_after(60) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(lambda: green("wait_for_mail", timeout=50))
                await _until_listening(blue)
                group.cancel_scope.cancel()
        assert not scope.cancelled_caught
        deadline = time.monotonic() + 20
        while _named(await blue("memory_agents", action="list"))[GREEN].get("listening"):
            assert time.monotonic() < deadline, "the listener outlives its call"
            await anyio.sleep(0.05)

    talk(project, play, BLUE, GREEN)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"timeout": 0}, "invalid_timeout"),
        ({"timeout": 51}, "invalid_timeout"),
        ({"timeout": 1.5}, "invalid_timeout"),
        ({"for": "letters"}, "invalid_for"),
        ({"for_": "mail"}, "unknown_parameter"),
    ],
)
def test_what_cannot_be_waited_for_is_refused(
    project: Project, arguments: dict[str, Any], code: str
) -> None:
    async def play(blue: Voice) -> None:
        assert (await blue("wait_for_mail", **arguments)).error == code

    talk(project, play, BLUE)


def test_presence_ends_with_the_process_and_the_reachable_come_first(project: Project) -> None:
    async def play(blue: Voice) -> None:
        board = await blue("memory_agents", action="list")
        assert _named(board).keys() == {BLUE}
        assert board["idle_omitted"] == 2

    talk(project, play, BLUE)

    async def later(red: Voice) -> None:
        agents = _named(await red("memory_agents", action="list"))
        assert agents[BLUE]["presence"] == "detached"
        assert list(agents) == [RED, BLUE]  # reachable first

    talk(project, later, RED)
