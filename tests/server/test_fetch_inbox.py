"""fetch_inbox and the marks through the SDK's client (contract: fetch_inbox and its family)."""

from __future__ import annotations

from typing import Any

from server_desk import BLUE, GREEN, RED, Project, Voice, git, talk

from gitmail.board.credentials import Credentials
from gitmail.mail.toon import encode_toon


async def _letters(blue: Voice, count: int = 3) -> list[str]:
    ids = []
    for number in range(count):
        sent = await blue(
            "memory_message",
            action="send",
            to=GREEN,
            text=f"Letter {number}\n\nwith a body",
            request_id=f"letter-{number}",
            urgent=number == 1,
        )
        ids.append(sent["message_id"])
    return ids


def _desk(project: Project, **more: Any) -> dict[str, Any]:
    return {"project_key": str(project.path), "agent_name": GREEN} | more


def test_the_inbox_is_listed_newest_first_and_looking_changes_nothing(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        ids = await _letters(blue)
        before = project.commits()
        found = await green("fetch_inbox", **_desk(project))
        assert [one["id"] for one in found["result"]] == ids[::-1]
        assert found["result"][0].keys() == {
            "id",
            "subject",
            "from",
            "created_ts",
            "importance",
            "ack_required",
            "kind",
            "read_at",
        }
        assert (found["total"], found["unread"], found["has_more"]) == (3, 3, False)
        assert found["next_since_ts"] == found["result"][0]["created_ts"]
        again = await green("fetch_inbox", **_desk(project))
        assert again.text == found.text
        assert project.commits() == before

    talk(project, play, BLUE, GREEN)


def test_filters_bodies_and_pages_lose_nothing(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        ids = await _letters(blue)
        urgent = await green("fetch_inbox", **_desk(project, urgent_only=True))
        assert [one["id"] for one in urgent["result"]] == [ids[1]]
        bodies = await green("fetch_inbox", **_desk(project, include_bodies=True, limit=1))
        assert bodies["result"][0]["body_md"] == "Letter 2\n\nwith a body"
        assert (bodies["has_more"], bodies["next_since_ts"], bodies["total"]) == (True, None, 3)
        all_of_them = await green("fetch_inbox", **_desk(project, limit=bodies["total"]))
        since = all_of_them["result"][1]["created_ts"]
        newer = await green("fetch_inbox", **_desk(project, since_ts=since))
        assert [one["id"] for one in newer["result"]] == [ids[2]]
        offset = since.replace("+00:00", "Z")
        assert (await green("fetch_inbox", **_desk(project, since_ts=offset)))["total"] == 1
        nothing = await green(
            "fetch_inbox", **_desk(project, since_ts=all_of_them["next_since_ts"])
        )
        assert (nothing["result"], nothing["total"]) == ([], 0)
        assert nothing["next_since_ts"] == all_of_them["next_since_ts"]
        assert (await green("fetch_inbox", **_desk(project, topic="None")))["result"] == []

    talk(project, play, BLUE, GREEN)


def test_marks_are_told_once_seen_by_the_sender_and_idempotent(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        first, second, _ = await _letters(blue)
        read = await green("mark_message_read", **_desk(project, message_id=first[:8]))
        assert read["read_at"] is not None
        assert read["acknowledged_at"] is None
        assert read["waiting"] == 3  # it asks for an acknowledgement
        assert await green("mark_message_read", **_desk(project, message_id=first)) == read
        done = await green("acknowledge_message", **_desk(project, message_id=second))
        assert done["acknowledged_at"] == done["read_at"] is not None
        assert done["waiting"] == 2
        unread = await green("fetch_inbox", **_desk(project, unread_only=True))
        assert (len(unread["result"]), unread["unread"]) == (1, 1)
        seen = await blue("memory_message", action="history")
        assert [one["state"] for one in seen["messages"]] == ["pending", "acknowledged", "pending"]
        missing = await green("mark_message_read", **_desk(project, message_id="0" * 32))
        assert missing.error == "message_not_found"
        bad = await green("acknowledge_message", **_desk(project, message_id="first"))
        assert bad.error == "invalid_message_id"

    talk(project, play, BLUE, GREEN)


def test_toon_changes_the_text_block_and_not_the_structured_result(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        await _letters(blue)
        plain = await green("fetch_inbox", **_desk(project))
        toon = await green("fetch_inbox", **_desk(project, format="toon"))
        assert toon == plain
        assert toon.text == encode_toon(dict(plain))
        assert toon.text != plain.text
        for word in (None, "", "auto", "json"):
            assert (await green("fetch_inbox", **_desk(project, format=word))).text == plain.text
        refused = await green("fetch_inbox", **_desk(project, format="xml"))
        assert refused.error == "invalid_format"

    talk(project, play, BLUE, GREEN)


def test_the_project_is_named_by_a_path_inside_it_a_worktree_or_the_short_name(
    project: Project,
) -> None:
    (project.path / "src").mkdir()
    git(project.path, "commit", "-q", "--allow-empty", "-m", "begin")
    worktree = project.path.parent / "wt"
    git(project.path, "worktree", "add", "-q", str(worktree))
    elsewhere = project.path.parent / "other"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q")

    async def play(green: Voice) -> None:
        for key in (project.path, project.path / "src", worktree, "shop", "SHOP"):
            found = await green("fetch_inbox", project_key=str(key), agent_name=GREEN)
            assert found.error is None, key
        for key in (elsewhere, "/", "/nowhere/at/all", "shops", "src"):
            refused = await green("fetch_inbox", project_key=str(key), agent_name=GREEN)
            assert refused.error == "project_not_found", key
        blank = await green("fetch_inbox", project_key=" ", agent_name=GREEN)
        assert blank.error == "invalid_project_key"
        assert not (elsewhere / ".git" / "gitmail").exists()

    talk(project, play, GREEN)


def test_another_agents_mailbox_needs_its_token(project: Project) -> None:
    with project.open() as store:
        token = Credentials(store.private).issue(GREEN)

    async def play(blue: Voice) -> None:
        for wrong in (None, "", "wrong", token + "x"):
            desk = _desk(project, registration_token=wrong)
            assert (await blue("fetch_inbox", **desk)).error == "not_authorized", wrong
        desk = _desk(project, registration_token=token)
        assert (await blue("fetch_inbox", **desk))["result"] == []
        red = _desk(project, registration_token=token) | {"agent_name": RED}
        assert (await blue("fetch_inbox", **red)).error == "not_authorized"
        sent = await blue(
            "memory_message", action="send", to=GREEN, text="For you.", request_id="token"
        )
        mark = {"message_id": sent["message_id"]}
        assert (
            await blue("acknowledge_message", **_desk(project), **mark)
        ).error == "not_authorized"
        done = await blue("acknowledge_message", **desk, **mark)
        assert done["acknowledged_at"] is not None
        author = git(project.store, "log", "-1", "--format=%an", "main")
        assert author == GREEN

    talk(project, play, BLUE)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"agent_name": "GreenCastel"}, "agent_not_found"),
    ({"agent_name": 5}, "invalid_agent_name"),
    ({"limit": 0}, "invalid_limit"),
    ({"limit": 1001}, "invalid_limit"),
    ({"limit": "20"}, "invalid_limit"),
    ({"limit": True}, "invalid_limit"),
    ({"since_ts": "yesterday"}, "invalid_timestamp"),
    ({"since_ts": 5}, "invalid_timestamp"),
    ({"urgent_only": "true"}, "invalid_urgent_only"),
    ({"unread": True}, "unknown_parameter"),
    ({"project_key": None}, "missing_parameter"),
]


def test_whatever_is_wrong_has_its_code(project: Project) -> None:
    async def play(green: Voice) -> None:
        for wrong, code in REFUSED:
            answer = await green("fetch_inbox", **_desk(project) | wrong)
            assert answer.error == code, (wrong, answer)
        near = await green("fetch_inbox", **_desk(project) | {"agent_name": "GreenCastel"})
        assert near["near"] == [GREEN]
        stamp = await green("fetch_inbox", **_desk(project) | {"since_ts": "yesterday"})
        assert "2026-" in stamp["message"] + stamp["hint"]
        own_case = await green("fetch_inbox", **_desk(project) | {"agent_name": "greencastle"})
        assert own_case.error is None

    talk(project, play, GREEN)


def test_a_fresh_agent_sees_an_empty_inbox_and_is_not_registered_by_looking(
    project: Project,
) -> None:
    async def play(fresh: Voice) -> None:
        before = project.commits()
        found = await fresh("fetch_inbox", **_desk(project) | {"agent_name": "NewComer"})
        assert (found["result"], found["total"], found["waiting"]) == ([], 0, 0)
        page = await fresh("memory_message", action="receive")
        assert page["messages"] == []
        await fresh("memory_message", action="receive", after=page["after"])
        await fresh("memory_agents", action="list")
        assert project.commits() == before
        await fresh("memory_message", action="send", to=GREEN, text="Hi.", request_id="hi")
        assert project.commits() == before + 1

    talk(project, play, "NewComer")
