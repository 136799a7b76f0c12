"""The tools of notes through the SDK's client (contract: memory_consolidate)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from server_desk import BLUE, ERAS, GREEN, Project, Voice, git, talk

from gitmail_server.app import listed
from gitmail_server.toolsets import tools_of

CONSOLIDATE = "memory_consolidate"


def test_the_fixed_input_schema_is_published_as_clients_know_it() -> None:
    tool = listed(tools_of("core")[CONSOLIDATE])
    properties = {
        name: {key: value for key, value in schema.items() if key != "description"}
        for name, schema in tool.input_schema["properties"].items()
    }

    def or_null(schema: dict[str, Any]) -> dict[str, Any]:
        return {"anyOf": [schema, {"type": "null"}], "default": None}

    assert properties == {
        "new_text": {"type": "string"},
        "entry_ids": or_null({"type": "array", "items": {"type": "integer"}}),
        "replaces": or_null({"type": "array", "items": {"type": "string"}}),
        "tags": or_null({"type": "array", "items": {"type": "string"}}),
        "source": or_null({"type": "string"}),
    }
    assert tool.input_schema["required"] == ["new_text"]
    assert tool.input_schema["additionalProperties"] is False
    assert tool.annotations is not None
    assert (tool.annotations.destructive_hint, tool.annotations.idempotent_hint) == (True, False)


@pytest.mark.parametrize("era", ERAS)
def test_a_note_is_stored_found_joined_and_taken_back(project: Project, era: str) -> None:
    async def play(blue: Voice, green: Voice) -> None:
        one = await blue("memory_store", text="The staging box is haze-02, ask ops.")
        assert (one["stored"], one["id"], one["similar"]) == (True, 1, [])
        two = await green("memory_store", text="Staging box: haze-02 (ask ops).", tags=["Ops"])
        assert two["similar"][0]["id"] == 1
        again = await blue("memory_store", text="The staging box is haze-02, ask ops.")
        assert (again["stored"], again["reason"], again["id"]) == (False, "duplicate", 1)

        offer = await blue("memory_consolidation_candidates")
        (cluster,) = offer["clusters"]
        ids = [member["id"] for member in cluster["members"]]
        done = await blue(CONSOLIDATE, new_text="Staging is haze-02.", entry_ids=ids, tags=None)
        assert done["superseded_ids"] == [1, 2]
        assert done["superseded_texts"][1] == "Staging box: haze-02 (ask ops)."
        assert (done["superseded_count"], done["new_memory_stored"]) == (2, True)
        assert done["new_memory_id"] == 3
        assert git(project.store, "rev-parse", "main") == done["commit"]

        hits = await green("memory_search", query="staging box", include_superseded=True)
        old = next(entry for entry in hits["entries"] if entry["id"] == 2)
        assert old["superseded"] is True
        assert old["replaced_by"] == {"id": 3, "preview": "Staging is haze-02."}
        whole = await green("memory_get", entry_id=1)
        assert whole["superseded_by"]["id"] == 3
        assert [event["what"] for event in whole["history"]] == ["created", "superseded"]
        assert whole["history"][1]["commit"] == done["commit"]

        corrected = await green("memory_supersede", entry_id=3, new_text="Staging is haze-03.")
        assert corrected["superseded_ids"] == [3]
        assert (await green("memory_reinstate", entry_id=1))["reinstated"] is True
        recent = await blue("memory_recent", n=1)
        assert [entry["id"] for entry in recent["entries"]] == [4]
        gone = await blue("memory_forget", substring="haze-02")
        assert gone["forgotten_ids"] == [1, 2, 3]

    talk(project, play, BLUE, GREEN, era=era)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"entry_ids": [1, True]}, "invalid_selector"),
        ({"entry_ids": ["1"]}, "invalid_selector"),
        ({"entry_ids": [1.0]}, "invalid_selector"),
        ({"entry_ids": [0]}, "invalid_selector"),
        ({"entry_ids": "[1]"}, "invalid_selector"),
        ({"entry_ids": [1], "replaces": ["One."]}, "invalid_selector"),
        ({"entry_ids": None, "replaces": None}, "invalid_selector"),
        ({"entry_ids": []}, "empty_input"),
        ({"entry_ids": [1], "new_text": " "}, "empty_input"),
        ({"entry_ids": [1, 9]}, "target_not_found"),
        ({"replaces": ["one."]}, "target_not_found"),
        ({"entry_ids": [1], "new_text": "AKIA" + "ABCDEFGHIJKLMNOP"}, "secret_like"),
    ],
)
@pytest.mark.parametrize("era", ERAS)
def test_a_refused_consolidation_carries_the_facts_and_changes_nothing(
    project: Project, era: str, arguments: dict[str, Any], error: str
) -> None:
    async def play(blue: Voice) -> None:
        await blue("memory_store", text="One.")
        before = project.commits()
        answer = await blue(CONSOLIDATE, **{"new_text": "New.", **arguments})
        assert (answer.error, answer["reason"]) == (error, error)
        assert answer["superseded_count"] == 0
        assert answer["superseded_texts"] == answer["superseded_ids"] == []
        assert answer["new_memory_stored"] is False
        assert [one["error"] for one in answer["target_errors"]] == (
            [error] if error == "target_not_found" else []
        )
        assert json.loads(answer.text)["error"] == error
        assert project.commits() == before

    talk(project, play, BLUE, era=era)


def test_an_unknown_argument_is_refused_by_name(project: Project) -> None:
    async def play(blue: Voice) -> None:
        answer = await blue(CONSOLIDATE, new_text="x", entry_ids=[1], entries=[1])
        assert (answer.error, answer["nearest"]) == ("unknown_parameter", "entry_ids")

    talk(project, play, BLUE)


def test_a_bulk_removal_is_counted_and_sampled_first(project: Project) -> None:
    async def play(blue: Voice) -> None:
        for number in range(21):
            await blue("memory_store", text=f"Note {number} of many.")
        asked = await blue("memory_forget", source="note")
        assert (asked["forgotten_count"], asked["matches"]) == (0, 21)
        assert len(asked["sample"]) == 5
        done = await blue("memory_forget", source="note", confirm_bulk=True)
        assert done["forgotten_count"] == 21

    talk(project, play, BLUE)


def test_no_answer_outgrows_a_page(project: Project) -> None:
    async def play(blue: Voice) -> None:
        ids = []
        for number in range(8):
            text = f"Note {number}. " + f"word{number} and more of it. " * 3000
            ids.append((await blue("memory_store", text=text[:60_000]))["id"])
        found = await blue("memory_search", query="more of it", top_k=100)
        assert len(found.text.encode()) < 20_000
        assert found["entries"][0]["truncated"] is True
        assert len((await blue("memory_get", entry_id=1))["text"]) == 60_000
        offered = await blue("memory_consolidation_candidates", min_cohesion=0)
        assert len(offered.text.encode()) < 256 * 1024
        done = await blue(CONSOLIDATE, new_text="All eight.", entry_ids=ids)
        assert done["truncated"] is True
        assert len(done["superseded_texts"]) == 8
        assert len(done.text.encode()) < 256 * 1024

    talk(project, play, BLUE)
