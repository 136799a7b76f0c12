"""memory_message through the SDK's client: results, repeats and refusals as in the contract."""

from __future__ import annotations

from typing import Any

import pytest
from server_desk import BLUE, ERAS, GREEN, RED, Project, Voice, talk

SEND = {"action": "send", "to": GREEN, "text": "Please look at the parser.", "request_id": "one"}
RECEIPT = {
    "message_id",
    "state",
    "created_at",
    "expires_at",
    "acknowledged_at",
    "recipient_agent_id",
    "recipient",
    "wake",
    "path",
}
MESSAGE = {
    "message_id",
    "sender_agent_id",
    "sender",
    "text",
    "subject",
    "thread",
    "reply_to",
    "project",
    "created_at",
    "expires_at",
    "origin",
    "verified",
}


@pytest.mark.parametrize("era", ERAS)
def test_a_letter_is_sent_received_acknowledged_and_seen_as_read(
    project: Project, era: str
) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        sent = await blue("memory_message", **SEND)
        assert sent.keys() == RECEIPT | {"waiting"}
        assert (sent["state"], sent["recipient"], sent["path"]) == ("queued", GREEN, "pull")
        assert sent["waiting"] == 0

        page = await green("memory_message", action="receive")
        assert page["waiting"] == 1
        assert page["continuity"]["status"] == "messages"
        assert "notice" in page
        [message] = page["messages"]
        assert message.keys() == MESSAGE
        assert message["message_id"] == sent["message_id"]
        assert message["text"] == SEND["text"]
        assert message["verified"] is True
        again = await green("memory_message", action="receive")
        assert again["messages"] == page["messages"]

        receipt = await green("memory_message", action="ack", message_id=sent["message_id"][:8])
        assert (receipt["message_id"], receipt["state"]) == (sent["message_id"], "acknowledged")
        assert receipt["waiting"] == 0
        empty = await green("memory_message", action="receive")
        assert (empty["messages"], empty["continuity"]["status"]) == ([], "empty")

        seen = await blue("memory_message", action="history")
        [entry] = seen["messages"]
        more = {"recipient", "state", "first_read_at", "acknowledged_at", "body_state"}
        assert entry.keys() == MESSAGE | more
        assert entry["state"] == "acknowledged"
        assert entry["first_read_at"] is not None
        assert (entry["recipient"], entry["body_state"]) == (GREEN, "retained")
        assert seen["retained_since"] is None

    talk(project, play, BLUE, GREEN, era=era)


def test_receive_with_ack_is_compact_and_acknowledges_exactly_what_it_returns(
    project: Project,
) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        for number in range(3):
            await blue("memory_message", **SEND | {"request_id": f"r{number}"})
        page = await green("memory_message", action="receive", ack=True, limit=2)
        assert page.keys() == {
            "messages",
            "acknowledged",
            "after",
            "has_more",
            "continuity",
            "waiting",
        }
        assert page["messages"][0].keys() == {
            "message_id",
            "sender",
            "text",
            "subject",
            "thread",
            "reply_to",
            "created_at",
        }
        assert (page["acknowledged"], page["has_more"], page["waiting"]) == (2, True, 1)
        rest = await green("memory_message", action="receive", after=page["after"])
        assert (len(rest["messages"]), rest["has_more"]) == (1, False)

    talk(project, play, BLUE, GREEN)


def test_the_identical_send_again_returns_the_first_result_and_writes_nothing(
    project: Project,
) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        first = await blue("memory_message", **SEND)
        before = project.commits()
        assert await blue("memory_message", **SEND) == first
        assert project.commits() == before
        await green("memory_message", action="ack", message_id=first["message_id"])
        later = await blue("memory_message", **SEND)
        assert (later["message_id"], later["state"]) == (first["message_id"], "acknowledged")
        other = await blue("memory_message", **SEND | {"text": "Something else."})
        assert other.error == "request_conflict"

    talk(project, play, BLUE, GREEN)


def test_a_fan_out_answers_with_one_receipt_for_each_recipient_in_order(project: Project) -> None:
    async def play(blue: Voice, green: Voice, red: Voice) -> None:
        await green("memory_agents", action="list")
        await red("memory_agents", action="list")
        sent = await blue("memory_message", action="send", to="all", text="Hi.", request_id="all")
        assert sent.keys() == {"to", "recipients", "receipts", "waiting"}
        assert (sent["to"], sent["recipients"]) == ("all", 2)
        assert [one["recipient"] for one in sent["receipts"]] == [GREEN, RED]
        assert all(one.keys() == RECEIPT for one in sent["receipts"])
        again = await blue("memory_message", action="send", to="all", text="Hi.", request_id="all")
        assert again == sent

    talk(project, play, BLUE, GREEN, RED)


def test_a_reply_carries_the_thread_on_and_needs_no_recipient(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        asked = await blue("memory_message", **SEND)
        answer = {"action": "send", "text": "Done.", "request_id": "a"}
        replied = await green("memory_message", **answer, reply_to=asked["message_id"])
        assert replied["recipient"] == BLUE
        [letter] = (await blue("memory_message", action="receive"))["messages"]
        assert letter["reply_to"] == letter["thread"] == asked["message_id"]

    talk(project, play, BLUE, GREEN)


@pytest.mark.parametrize("form", ["{0},{1}", "{0} , {1}", '["{0}", "{1}"]', '[ "{0}","{1}" ]'])
def test_several_ids_come_with_commas_or_as_a_json_array_in_the_string(
    project: Project, form: str
) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        first = await blue("memory_message", **SEND)
        missing = "0" * 12 if not first["message_id"].startswith("0" * 8) else "1" * 12
        listed = form.format(first["message_id"], missing)
        answer = await green("memory_message", action="ack", message_id=listed)
        assert [one["message_id"] for one in answer["receipts"]] == [first["message_id"]]
        assert answer["missing"] == [missing]

    talk(project, play, BLUE, GREEN)


BAD_IDS = ["", " ", ",", "abc", "[", "[1]", "[]", "{}", "nothex!!", "12345678,"]


def test_a_malformed_list_of_ids_is_refused(project: Project) -> None:
    async def play(blue: Voice) -> None:
        for ids in (*BAD_IDS, ",".join(["a" * 8] * 51)):
            answer = await blue("memory_message", action="ack", message_id=ids)
            assert answer.error == "invalid_message_id", ids

    talk(project, play, BLUE)


def test_a_prefix_of_two_letters_refuses_the_whole_call_and_names_what_tells_them_apart(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter(["abcdef12" + "0" * 24, "abcdef12" + "9" * 24, "7" * 32, "5" * 32])
    monkeypatch.setattr("gitmail.mail.message.new_id", lambda: next(ids))

    async def play(blue: Voice, green: Voice) -> None:
        for number in range(3):
            await blue(
                "memory_message", **SEND | {"request_id": str(number), "subject": str(number)}
            )
        listed = f"{'7' * 32},abcdef12"
        answer = await green("memory_message", action="ack", message_id=listed)
        assert answer.error == "ambiguous_message_id"
        assert answer["prefixes"] == ["abcdef120", "abcdef129"]
        assert answer["waiting"] == 3
        reply = {"action": "send", "text": "Yes.", "request_id": "r", "reply_to": "abcdef12"}
        assert (await green("memory_message", **reply)).error == "ambiguous_reply"
        assert (await green("memory_message", action="ack", message_id="abcdef129")).error is None

    talk(project, play, BLUE, GREEN)


def test_one_unknown_id_is_message_not_found(project: Project) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        sent = await blue("memory_message", **SEND)
        for name in ("0" * 32, sent["message_id"]):  # unknown, and in somebody else's mailbox
            answer = await blue("memory_message", action="ack", message_id=name)
            assert answer.error == "message_not_found"

    talk(project, play, BLUE, GREEN)


def test_history_pages_forward_or_shows_the_newest_and_keeps_to_a_peer(project: Project) -> None:
    async def play(blue: Voice, green: Voice, red: Voice) -> None:
        for number, to in enumerate((GREEN, RED, GREEN)):
            letter = {"to": to, "text": f"Number {number}", "request_id": str(number)}
            await blue("memory_message", action="send", **letter)
        first = await blue("memory_message", action="history", limit=2)
        assert [one["text"] for one in first["messages"]] == ["Number 0", "Number 1"]
        assert first["has_more"] is True
        second = await blue("memory_message", action="history", limit=2, after=first["after"])
        assert [one["text"] for one in second["messages"]] == ["Number 2"]
        newest = await blue("memory_message", action="history", limit=1, newest=True)
        assert [one["text"] for one in newest["messages"]] == ["Number 2"]
        peer = await blue("memory_message", action="history", peer=RED)
        assert [one["text"] for one in peer["messages"]] == ["Number 1"]
        other = await blue("memory_message", action="history", peer=GREEN, after=peer["after"])
        assert (other.error, other["detail"]) == ("invalid_cursor", "other_peer")
        wrong = await blue("memory_message", action="receive", after=peer["after"])
        assert (wrong.error, wrong["detail"]) == ("invalid_cursor", "other_action")
        nonsense = await blue("memory_message", action="receive", after="nonsense")
        assert (nonsense.error, nonsense["detail"]) == ("invalid_cursor", "malformed")

    talk(project, play, BLUE, GREEN, RED)


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "missing_parameter", "action"),
    ({"action": "sned"}, "invalid_action", "send"),
    ({"action": ["send"]}, "invalid_action", "action"),
    ({"action": "send", "to": GREEN, "request_id": "x"}, "missing_parameter", "text"),
    ({"action": "send", "to": GREEN, "text": "x"}, "missing_parameter", "request_id"),
    ({"action": "send", "text": "x", "request_id": "x"}, "missing_parameter", "to"),
    ({"action": "ack"}, "missing_parameter", "message_id"),
    (SEND | {"urgnet": True}, "unknown_parameter", "urgent"),
    (SEND | {"body": "x"}, "unknown_parameter", "text"),
    (SEND | {"ack": True}, "unexpected_parameter", "receive"),
    (SEND | {"limit": 10}, "unexpected_parameter", "receive and history"),
    ({"action": "receive", "to": GREEN}, "unexpected_parameter", "send"),
    ({"action": "receive", "peer": GREEN}, "unexpected_parameter", "history"),
    ({"action": "history", "message_id": "a" * 8}, "unexpected_parameter", "ack"),
    ({"action": "ack", "message_id": "a" * 8, "after": "x"}, "unexpected_parameter", "receive"),
    (SEND | {"text": ""}, "invalid_text", "text"),
    (SEND | {"text": " \n"}, "invalid_text", "blank"),
    (SEND | {"text": "a\x00b"}, "invalid_text", "NUL"),
    (SEND | {"text": "ä" * 4097}, "invalid_text", "8194"),
    (SEND | {"text": {"a": 1}}, "invalid_text", "text"),
    (SEND | {"to": [GREEN]}, "invalid_to", "string"),
    (SEND | {"to": "x" * 121}, "invalid_to", "120"),
    (SEND | {"to": ""}, "invalid_to", "to"),
    (SEND | {"to": "daemon"}, "recipient_reserved", "daemon"),
    (SEND | {"to": "maintainer"}, "recipient_reserved", "maintainer"),
    (SEND | {"to": "GreenCastel"}, "recipient_not_found", GREEN),
    (SEND | {"to": "project:nothing"}, "no_recipients", "nothing"),
    (SEND | {"urgent": "true"}, "invalid_urgent", "boolean"),
    (SEND | {"urgent": 1}, "invalid_urgent", "boolean"),
    (SEND | {"request_id": ""}, "invalid_request_id", "request_id"),
    (SEND | {"request_id": "x" * 121}, "invalid_request_id", "120"),
    (SEND | {"clears": "x" * 121}, "invalid_clears", "120"),
    (SEND | {"subject": "two\nlines"}, "invalid_subject", "line"),
    (SEND | {"subject": "x" * 201}, "invalid_subject", "200"),
    (SEND | {"reply_to": "zz"}, "invalid_reply_to", "hex"),
    (SEND | {"reply_to": "0" * 32}, "invalid_reply", "0000"),
    (SEND | {"text": "key AKIA" + "IOSFODNN7EXAMPLQ in it"}, "secret_like", "text"),
    ({"action": "receive", "limit": "5"}, "invalid_limit", "integer"),
    ({"action": "receive", "limit": True}, "invalid_limit", "integer"),
    ({"action": "receive", "limit": 5.0}, "invalid_limit", "integer"),
    ({"action": "receive", "limit": 0}, "invalid_limit", "1"),
    ({"action": "receive", "limit": 51}, "invalid_limit", "50"),
    ({"action": "receive", "ack": "yes"}, "invalid_ack", "boolean"),
    ({"action": "history", "peer": "Nobody"}, "agent_not_found", "Nobody"),
    ({"action": "ack", "message_id": ["a" * 8]}, "invalid_message_id", "comma"),
]


def test_whatever_is_wrong_the_answer_names_it_and_the_way_out(project: Project) -> None:
    async def play(blue: Voice) -> None:
        before = project.commits()
        for arguments, code, named in REFUSED:
            answer = await blue("memory_message", **arguments)
            assert answer.error == code, (arguments, answer)
            assert named in answer["message"] + answer.get("hint", ""), (arguments, answer)
            assert answer["waiting"] == 0
        assert project.commits() == before

    talk(project, play, BLUE)


DEFAULTS = {
    "to": None,
    "text": None,
    "request_id": None,
    "reply_to": None,
    "clears": None,
    "urgent": False,
    "subject": None,
    "thread": None,
    "ack": False,
    "after": None,
    "limit": 50,
    "peer": None,
    "newest": False,
    "message_id": None,
}


def test_arguments_of_other_actions_that_hold_their_defaults_count_as_not_given(
    project: Project,
) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        sent = await blue("memory_message", **DEFAULTS | SEND)
        received = await green("memory_message", **DEFAULTS | {"action": "receive"})
        assert [one["message_id"] for one in received["messages"]] == [sent["message_id"]]
        listed = await blue("memory_message", **DEFAULTS | {"action": "history"})
        assert len(listed["messages"]) == 1
        acknowledged = DEFAULTS | {"action": "ack", "message_id": sent["message_id"]}
        assert (await green("memory_message", **acknowledged)).error is None

    talk(project, play, BLUE, GREEN)


TEXTS = ['{"a": 1}', "[1, 2]", "5", "true", "null", '"quoted"', "---\nfrom: me\n---", " \tx \n\n"]


@pytest.mark.parametrize("era", ERAS)
def test_what_looks_like_json_or_a_header_stays_the_text_it_is(project: Project, era: str) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        for number, text in enumerate(TEXTS):
            sent = await blue(
                "memory_message",
                action="send",
                to=GREEN,
                text=text,
                request_id=f"json-{number}",
                thread="5",
                subject="true",
            )
            assert sent.error is None, sent
        page = await green("memory_message", action="receive")
        assert [one["text"] for one in page["messages"]] == TEXTS
        assert {(one["thread"], one["subject"]) for one in page["messages"]} == {("5", "true")}

    talk(project, play, BLUE, GREEN, era=era)


def test_the_caller_is_who_the_server_speaks_for_whatever_the_arguments_say(
    project: Project,
) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        forged = await blue("memory_message", **SEND | {"sender": RED})
        assert forged.error == "unknown_parameter"
        await blue("memory_message", **SEND)
        [letter] = (await green("memory_message", action="receive"))["messages"]
        assert letter["sender"] == BLUE

    talk(project, play, BLUE, GREEN)
