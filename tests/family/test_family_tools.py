"""The second vocabulary's tools through the SDK's client (contract: fetch_inbox, the family)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from server_desk import BLUE, ERAS, GREEN, RED, Project, Voice, git, process, talk

from gitmail.board.presence import Presence


def _key(project: Project) -> dict[str, str]:
    return {"project_key": str(project.path)}


def _mail(project: Project, sender: str, *to: str, **more: Any) -> dict[str, Any]:
    letter = {"subject": "Tides", "body_md": "High water at noon."}
    return _key(project) | {"sender_name": sender, "to": list(to)} | letter | more


@pytest.mark.parametrize("era", ERAS)
def test_a_letter_goes_to_each_line_and_is_answered_in_its_thread(
    project: Project, era: str
) -> None:
    async def play(blue: Voice, green: Voice, red: Voice) -> None:
        sent = await blue(
            "send_message",
            **_mail(project, BLUE, GREEN, cc=RED, thread_id="FEAT-1", topic="Build"),
        )
        assert (sent["count"], sent["thread_id"]) == (2, "FEAT-1")
        assert [(one["recipient"], one["kind"]) for one in sent["deliveries"]] == [
            (GREEN, "to"),
            (RED, "cc"),
        ]
        assert {one["id"] for one in sent["deliveries"]} == {sent["id"]}
        assert all(one["wake"]["decision"] for one in sent["deliveries"])
        answered = await green(
            "reply_message",
            **_key(project),
            message_id=sent["id"][:8],
            sender_name=GREEN,
            body_md="Thanks.",
        )
        assert answered["thread_id"] == "FEAT-1"
        [shown] = (await blue("fetch_inbox", **_key(project), agent_name=BLUE))["result"]
        assert (shown["subject"], shown["ack_required"]) == ("Re: Tides", False)
        again = await blue(
            "reply_message",
            **_key(project),
            message_id=answered["id"],
            sender_name=BLUE,
            body_md="You are welcome.",
        )
        [kinds] = (await red("fetch_inbox", **_key(project), agent_name=RED))["result"]
        assert kinds["kind"] == "cc"
        thread = await red("fetch_thread", **_key(project), thread_id="FEAT-1", include_bodies=True)
        assert [one["id"] for one in thread["result"]] == [
            sent["id"],
            answered["id"],
            again["id"],
        ]
        assert [one["subject"] for one in thread["result"]] == ["Tides", "Re: Tides", "Re: Tides"]
        assert thread["result"][0]["body_md"] == "High water at noon."
        by_topic = await red("fetch_topic", **_key(project), topic="BUILD", limit=2)
        assert by_topic["has_more"] is True
        rest = await red(
            "fetch_topic", **_key(project), topic="build", since_ts=by_topic["next_since_ts"]
        )
        assert [one["id"] for one in rest["result"]] == [again["id"]]

    talk(project, play, BLUE, GREEN, RED, era=era)


def test_one_unknown_recipient_fails_the_whole_send(project: Project) -> None:
    async def play(blue: Voice) -> None:
        before = project.commits()
        refused = await blue("send_message", **_mail(project, BLUE, GREEN, "GreenCastel", "Ghost"))
        assert refused.error == "recipient_not_found"
        assert [one["name"] for one in refused["unknown"]] == ["GreenCastel", "Ghost"]
        assert refused["unknown"][0]["near"] == [GREEN]
        for wrong, code in [
            ({"subject": "x" * 201}, "invalid_subject"),
            ({"importance": "huge"}, "invalid_importance"),
            ({"to": []}, "invalid_to"),
            ({"to": "all"}, "invalid_to"),
            ({"to": 5}, "invalid_to"),
            ({"to": [5]}, "invalid_to"),
            ({"body_md": " "}, "invalid_text"),
            ({"body_md": "key AKIA" + "IOSFODNN7EXAMPLQ"}, "secret_like"),
            ({"urgent": True}, "unknown_parameter"),
        ]:
            answer = await blue("send_message", **_mail(project, BLUE, GREEN) | wrong)
            assert answer.error == code, (wrong, answer)
        assert project.commits() == before
        assert not (project.store / "mail" / "Ghost").exists()

    talk(project, play, BLUE)


def test_a_request_id_makes_a_send_safe_to_repeat(project: Project) -> None:
    async def play(blue: Voice) -> None:
        first = await blue("send_message", **_mail(project, BLUE, GREEN, request_id="tides-1"))
        again = await blue("send_message", **_mail(project, BLUE, GREEN, request_id="tides-1"))
        assert again == first
        other = await blue("send_message", **_mail(project, BLUE, RED, request_id="tides-1"))
        assert other.error == "request_conflict"

    talk(project, play, BLUE)


def test_a_blind_copy_is_named_to_nobody_else(project: Project) -> None:
    async def play(blue: Voice, green: Voice, red: Voice) -> None:
        sent = await blue("send_message", **_mail(project, BLUE, GREEN, bcc=RED, thread_id="T-1"))
        hidden = await blue(
            "send_message",
            **_mail(project, BLUE, bcc=[RED], thread_id="T-2") | {"subject": "Only Red"},
        )
        thread = {"thread_id": "T-1"}
        for tool, arguments in [
            ("fetch_inbox", {"agent_name": GREEN, "include_bodies": True}),
            ("fetch_thread", thread | {"include_bodies": True}),
            ("summarize_thread", thread),
            ("search_messages", {"query": "noon"}),
            ("search_messages", {"query": "Only Red"}),
        ]:
            seen = await green(tool, **_key(project), **arguments)
            assert seen.error is None
            assert RED not in seen.text, tool
            assert hidden["id"] not in seen.text, tool
        reply = {"sender_name": GREEN, "body_md": "What?"}
        stolen = await green("reply_message", **_key(project), message_id=hidden["id"], **reply)
        assert stolen.error == "message_not_found"
        asked = {"agent_name": RED, "query": "noon"}
        peek = await green("search_messages", **_key(project), **asked)
        assert peek.error == "not_authorized"
        mine = await red("fetch_thread", **_key(project), **thread)
        assert mine["result"][0]["kind"] == "bcc"
        assert RED not in git(project.store, "log", "--format=%B", "main", "--", "mail/GreenCastle")
        copy = next((project.store / "mail" / GREEN / "inbox").glob("*tides*"))
        assert RED not in copy.read_text()
        receipts = (await blue("fetch_thread", **_key(project), **thread))["result"][0]["receipts"]
        assert {one["recipient"] for one in receipts} == {GREEN, RED}
        assert [one["recipient"] for one in sent["deliveries"]] == [GREEN, RED]

    talk(project, play, BLUE, GREEN, RED)


def test_search_takes_any_text_and_shows_snippets(project: Project) -> None:
    async def play(blue: Voice) -> None:
        body = "See POL-358 for it's (details). " + "Words and more words. " * 300
        for number in range(25):
            await blue(
                "send_message",
                **_mail(project, BLUE, GREEN, topic="docs")
                | {"subject": f"Part {number}", "body_md": f"{body} {number}"},
            )
        for query in ("POL-358", "a:b", "it's", "foo(", '"', "AND OR NOT", "*", "\u00e9\u2603"):
            found = await blue("search_messages", **_key(project), query=query)
            assert found.error is None, query
        found = await blue("search_messages", **_key(project), query="POL-358")
        assert len(found["result"]) == 20
        assert len(found.text) < 12_000
        assert all("POL-358" in one["snippet"] for one in found["result"])
        since = found["result"][0]["created_ts"]
        filters: list[tuple[dict[str, Any], int]] = [
            ({"since_ts": since}, 0),
            ({"topic": "DOCS", "limit": 3}, 3),
            ({"from": "bluelake", "limit": 2}, 2),
            ({"from": RED}, 0),
            ({"agent_name": BLUE, "limit": 4}, 4),
            ({"thread_id": "none"}, 0),
        ]
        for more, count in filters:
            hits = await blue("search_messages", **_key(project), query="POL-358", **more)
            assert len(hits["result"]) == count, more
        blank = await blue("search_messages", **_key(project), query=" ")
        assert blank.error == "invalid_query"

    talk(project, play, BLUE)


def test_a_thread_is_summed_up_from_its_own_words(project: Project) -> None:
    body = """# Plan
- [ ] write the parser
- [x] choose a name
Decision: keep the format
TODO: tell RedHill
> TODO: quoted is not ours
```
TODO: code is not ours
```
"""

    async def play(blue: Voice, green: Voice) -> None:
        letter = {"body_md": body, "thread_id": "plan"}
        sent = await blue("send_message", **_mail(project, BLUE, GREEN) | letter)
        await green(
            "reply_message",
            **_key(project),
            message_id=sent["id"],
            sender_name=GREEN,
            body_md="DONE: tell RedHill",
        )
        summed = await blue("summarize_thread", **_key(project), thread_id=sent["id"][:10])
        assert summed["participants"] == [BLUE, GREEN]
        assert summed["total_messages"] == 2
        assert summed["open_actions"] == ["write the parser"]
        assert summed["done_actions"] == ["choose a name", "tell RedHill"]
        assert summed["key_points"] == ["Plan", "Decision: keep the format"]
        missing = await blue("summarize_thread", **_key(project), thread_id="nothing here")
        assert missing.error == "thread_not_found"

    talk(project, play, BLUE, GREEN)


def test_a_retired_agent_receives_and_sends_nothing_until_it_is_back(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        sent = await blue("send_message", **_mail(project, BLUE, GREEN))
        done = await blue("send_message", **_mail(project, BLUE, GREEN))
        await green("mark_message_read", **_key(project), agent_name=GREEN, message_id=done["id"])
        gone = await green("retire_agent", **_key(project), agent_name=GREEN)
        assert gone["retired_ts"]
        assert not (project.store / "mail" / GREEN).exists()
        moved = project.store / "mail" / "retired" / GREEN
        assert len(list(moved.rglob("*.md"))) == 2
        subject = git(project.store, "log", "-1", "--format=%an: %s", "main")
        assert subject == f"{GREEN}: board: {GREEN} retired"
        assert (await blue("send_message", **_mail(project, BLUE, GREEN))).error == (
            "recipient_retired"
        )
        to_all = {"action": "send", "to": "all", "text": "Hi", "request_id": "hi"}
        assert (await blue("memory_message", **to_all)).error == "no_recipients"
        direct = to_all | {"to": GREEN}
        assert (await blue("memory_message", **direct)).error == "recipient_retired"
        refused = [
            ("send_message", _mail(project, GREEN, BLUE)),
            ("memory_message", to_all | {"to": BLUE}),
            ("memory_agents", {"action": "update", "status": "still here"}),
            ("request_contact", _key(project) | {"from_agent": GREEN, "to_agent": BLUE}),
        ]
        for tool, arguments in refused:
            assert (await green(tool, **arguments)).error in ("agent_retired",), tool
        inbox = await green("fetch_inbox", **_key(project), agent_name=GREEN)
        assert inbox["total"] == 2
        listed = await blue("list_agents", **_key(project))
        assert GREEN not in [one["name"] for one in listed["result"]]
        everyone = await blue("list_agents", **_key(project), include_retired=True)
        assert GREEN in [one["name"] for one in everyone["result"]]
        again = await green("retire_agent", **_key(project), agent_name=GREEN)
        assert again["retired_ts"] == gone["retired_ts"]
        back = await green("unretire_agent", **_key(project), agent_name=GREEN)
        assert "retired_ts" not in back
        assert not moved.exists()
        acked = {"agent_name": GREEN, "message_id": sent["id"]}
        assert (await green("acknowledge_message", **_key(project), **acked)).error is None
        assert (await blue("send_message", **_mail(project, BLUE, GREEN))).error is None

    talk(project, play, BLUE, GREEN)
    assert git(project.store, "fsck", "--strict") == ""


def test_a_contact_policy_holds_in_every_path(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        policy = _key(project) | {"agent_name": GREEN}
        await green("set_contact_policy", **policy, policy="contacts_only")
        by_mail = _mail(project, BLUE, GREEN)
        by_memory = {"action": "send", "to": GREEN, "text": "Hi", "request_id": "hi"}
        assert (await blue("send_message", **by_mail)).error == "recipient_blocked"
        assert (await blue("memory_message", **by_memory)).error == "recipient_blocked"
        ask = _key(project) | {"from_agent": BLUE, "to_agent": GREEN, "reason": "The parser"}
        asked = await blue("request_contact", **ask)
        assert asked["status"] == "requested"
        assert (await blue("request_contact", **ask))["message_id"] == asked["message_id"]
        listed = await green("list_contacts", **policy)
        assert [one["from"] for one in listed["requests"]] == [BLUE]
        answer = _key(project) | {"to_agent": GREEN, "from_agent": BLUE}
        accepted = await green("respond_contact", **answer, accept=True)
        assert (accepted["contacts"], accepted["requests"]) == ([BLUE], [])
        assert (await blue("request_contact", **ask))["status"] == "open"
        assert (await blue("send_message", **by_mail)).error is None
        await green("respond_contact", **answer, accept=False)
        assert (await blue("send_message", **by_mail)).error == "recipient_blocked"
        await green("set_contact_policy", **policy, policy="block_all")
        await green("respond_contact", **answer, accept=True)
        assert (await blue("request_contact", **ask)).error == "recipient_blocked"
        assert (await blue("memory_message", **by_memory)).error == "recipient_blocked"
        to_all = by_memory | {"to": "all"}
        assert (await blue("memory_message", **to_all)).error == "no_recipients"
        wrong = await green("set_contact_policy", **policy, policy="closed")
        assert wrong.error == "invalid_policy"
        opened = await green("set_contact_policy", **policy, policy="open")
        assert opened["policy"] == "open"
        assert (await blue("memory_message", **by_memory)).error is None

    talk(project, play, BLUE, GREEN)


def test_an_unbound_process_becomes_the_agent_it_registers_first(project: Project) -> None:
    async def main() -> None:
        async with process(project.path, "--toolset", "full") as voice:
            me = _key(project) | {"program": "tests", "model": "none"}
            first = await voice("register_agent", **me, name="OwlTower", task_description="Owls")
            assert first["registration_token"]
            assert first["attached"] is True
            assert first["task_description"] == "Owls"
            more = await voice("register_agent", **me, name="MoonGate")
            assert more["registration_token"] != first["registration_token"]
            again = await voice("register_agent", **me)
            assert again["name"] == "OwlTower"
            assert "registration_token" not in again
            sent = await voice("send_message", **_mail(project, "owltower", BLUE))
            assert sent.error is None
            taken = await voice("send_message", **_mail(project, "MoonGate", BLUE))
            assert taken.error == "not_authorized"
            by_token = _mail(project, "MoonGate", BLUE, sender_token=more["registration_token"])
            assert (await voice("send_message", **by_token)).error is None
            stolen = await voice("register_agent", **me, name=GREEN)
            assert stolen.error == "not_authorized"
        async with process(project.path, "--toolset", "full") as voice:
            resumed = await voice("register_agent", **me, name="OwlTower")
            if resumed.error is not None:  # another host process: its token tells who it is
                assert resumed.error == "not_authorized"
                token = {"registration_token": first["registration_token"]}
                resumed = await voice("register_agent", **me, name="OwlTower", **token)
            assert resumed["id"] == first["id"]
            assert (await voice("send_message", **_mail(project, "OwlTower", BLUE))).error is None

    anyio.run(main)
    authors = git(project.store, "shortlog", "-sn", "main")
    assert "OwlTower" in authors
    with project.open() as store:
        assert not Presence(store.private).living("OwlTower")


def test_ensure_project_makes_the_store_of_this_project_and_of_no_other(tmp_path: Path) -> None:
    shop, other = tmp_path / "shop", tmp_path / "other"
    for folder in (shop, other):
        folder.mkdir()
        git(folder, "init", "-q")

    async def main() -> None:
        async with process(shop, "--toolset", "full", "--agent", BLUE) as voice:
            before = await voice("whois", project_key=str(shop), agent_name=BLUE)
            assert before.error == "store_not_found"
            for key in (str(other), "/nowhere", "shop", ""):
                refused = await voice("ensure_project", human_key=key)
                assert refused.error == "project_not_found", key
            made = await voice("ensure_project", human_key=str(shop))
            assert (made["name"], made["created"]) == ("shop", True)
            again = await voice("ensure_project", human_key=str(shop))
            assert again["created"] is False
            start = await voice(
                "macro_start_session",
                human_key=str(shop),
                program="tests",
                model="none",
                file_reservation_paths="src/**",
            )
            assert start["agent"]["name"] == BLUE
            assert start["agent"]["registration_token"]
            assert start["inbox"] == []
            assert start["file_reservations"]["granted"][0]["paths"] == ["src/**"]

    anyio.run(main)
    assert (shop / ".git" / "gitmail" / "README.md").exists()
    assert not (other / ".git" / "gitmail").exists()


def test_a_macro_joins_a_thread_in_one_call(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        await blue("send_message", **_mail(project, BLUE, GREEN, thread_id="T-9"))
        joined = await green(
            "macro_prepare_thread",
            **_key(project),
            thread_id="T-9",
            program="tests",
            model="none",
            include_inbox_bodies=True,
        )
        assert joined["thread"]["participants"] == [BLUE, GREEN]
        assert joined["inbox"][0]["body_md"] == "High water at noon."
        assert joined["agent"]["name"] == GREEN

    talk(project, play, BLUE, GREEN)
