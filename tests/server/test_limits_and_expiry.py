"""Limits of gitmail.toml and letters that lapsed, as an agent meets them through the tools."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from server_desk import BLUE, GREEN, PAT, RED, Project, Voice, talk

from gitmail.board.caller import Caller
from gitmail.mail.message import Message, send
from gitmail.store.store import Store, system_clock
from gitmail.values.ids import new_id


def _letter(number: int, to: str = GREEN) -> dict[str, Any]:
    text = f"Letter {number}"
    return {"action": "send", "to": to, "text": text, "request_id": f"request-{number}"}


def test_a_sender_at_its_rate_learns_how_long_to_wait_and_repeats_still_answer(
    project: Project,
) -> None:
    project.limits(requests_per_minute=2)

    async def play(blue: Voice) -> None:
        first = await blue("memory_message", **_letter(1))
        await blue("memory_message", **_letter(2))
        limited = await blue("memory_message", **_letter(3))
        assert limited.error == "rate_limited"
        assert 0 < limited["retry_after"] <= 60
        assert await blue("memory_message", **_letter(1)) == first

    talk(project, play, BLUE)


def test_a_full_mailbox_refuses_a_whole_fan_out_and_uses_up_no_request(project: Project) -> None:
    project.limits(pending_per_mailbox=1)

    async def play(blue: Voice, green: Voice, red: Voice) -> None:
        for one in (green, red):
            await one("memory_message", action="receive")
        kept = await blue("memory_message", **_letter(1))
        full = await blue("memory_message", **_letter(2, "all"))
        assert full.error == "queue_full"
        assert (full["recipient"], full["queue"], full["limit"]) == (GREEN, "pending", 1)
        assert "gitmail archive" in full["hint"]
        assert (await red("memory_message", action="receive"))["messages"] == []
        await green("memory_message", action="ack", message_id=kept["message_id"])
        sent = await blue("memory_message", **_letter(2, "all"))
        assert sent["recipients"] == 2

    talk(project, play, BLUE, GREEN, RED)


def test_a_fan_out_that_is_too_large_names_the_true_count(project: Project) -> None:
    project.limits(fanout=1)

    async def play(blue: Voice, green: Voice, red: Voice) -> None:
        for one in (green, red):
            await one("memory_message", action="receive")
        refused = await blue("memory_message", **_letter(1, "all"))
        assert (refused.error, refused["count"], refused["limit"]) == ("fanout_too_large", 2, 1)

    talk(project, play, BLUE, GREEN, RED)


def test_a_fan_out_that_reaches_nobody_lists_who_may_be_named(project: Project) -> None:
    async def play(blue: Voice) -> None:
        refused = await blue("memory_message", **_letter(1, "all"))
        assert refused.error == "no_recipients"
        assert GREEN in str(refused)
        assert RED in str(refused)

    talk(project, play, BLUE)


def test_lapsed_letters_are_counted_named_still_there_and_can_be_acknowledged(
    project: Project,
) -> None:
    yesterday = system_clock() - timedelta(hours=25)
    with Store(project.store, PAT, clock=lambda: yesterday) as store:
        sent = send(store, Caller(BLUE, new_id()), Message("Old news.", "old", to=GREEN))
    lapsed = sent.letter.id

    async def play(blue: Voice, green: Voice) -> None:
        await blue("memory_message", **_letter(1))
        page = await green("memory_message", action="receive")
        assert [one["text"] for one in page["messages"]] == ["Letter 1"]
        continuity = page["continuity"]
        assert (continuity["status"], continuity["expired_unacknowledged"]) == ("messages", 1)
        [named] = continuity["expired"]
        assert named.keys() == {"message_id", "sender", "subject", "created_at"}
        assert named["message_id"] == lapsed
        before = {"action": "history", "after": continuity["history_after"], "limit": 1}
        [found] = (await green("memory_message", **before))["messages"]
        assert (found["message_id"], found["state"]) == (lapsed, "expired")
        assert found["text"] == "Old news."

        desk = {"project_key": "shop", "agent_name": GREEN}
        letters = {one["id"]: one for one in (await green("fetch_inbox", **desk))["result"]}
        assert letters[lapsed]["expired"] is True
        assert page["waiting"] == 1

        repeated = await blue(
            "memory_message", action="send", to=GREEN, text="Old news.", request_id="old"
        )
        assert (repeated["message_id"], repeated["state"]) == (lapsed, "expired")
        done = await green("memory_message", action="ack", message_id=lapsed)
        assert done["state"] == "acknowledged"
        again = await green("memory_message", action="receive")
        assert again["continuity"]["expired_unacknowledged"] == 0

    talk(project, play, BLUE, GREEN)
