"""What tools/list says: a snapshot, a budget, and the forms that hosts and models need."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema.validators import validator_for
from mcp.client import Client
from server_desk import ERAS

from gitmail.errors import InvalidInput, NotFound
from gitmail_server.app import INSTRUCTIONS, GitmailServer
from gitmail_server.desk import Desk
from gitmail_server.session import Session
from gitmail_server.toolsets import CORE, FULL, tools_of

SNAPSHOT = Path(__file__).with_name("tools.json")
TOKENS, CHARACTERS_A_TOKEN = 5_000, 4


SELF_EXPLAINING = {
    "accept",
    "ack_required",
    "agent_name",
    "entry_id",
    "entry_ids",
    "file_reservation_reason",
    "file_reservation_ttl_seconds",
    "inbox_limit",
    "include_inbox_bodies",
    "include_retired",
    "include_superseded",
    "limit",
    "max_clusters",
    "min_cluster_size",
    "model",
    "n",
    "program",
    "sender_name",
    "source",
    "tag",
    "tags",
    "task_description",
    "thread_id",
    "to_agent",
    "top_k",
    "topic",
}
"""Arguments whose name says it all; each word of tools/list is paid for in each session."""


def nowhere() -> Desk:
    raise NotFound("store_not_found", "There is no store.", "Run `gitmail init`.")


def listed(toolset: str, era: str = "auto") -> list[dict[str, Any]]:
    async def ask() -> list[dict[str, Any]]:
        async with Client(GitmailServer(Session(nowhere), tools_of(toolset)), mode=era) as client:
            tools = (await client.list_tools()).tools
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

    return anyio.run(ask)


@pytest.mark.parametrize("era", ERAS)
def test_the_tools_are_as_the_snapshot_has_them_in_both_eras(era: str) -> None:
    """After a change that is meant, write the snapshot anew: UPDATE_SNAPSHOT=1 pytest ..."""
    tools = listed("full", era)
    if os.environ.get("UPDATE_SNAPSHOT"):
        SNAPSHOT.write_text(json.dumps(tools, indent=1, ensure_ascii=False) + "\n")
    assert tools == json.loads(SNAPSHOT.read_text())


def test_the_core_toolset_fits_its_budget(capsys: pytest.CaptureFixture[str]) -> None:
    tools = listed("core")
    sizes = {tool["name"]: len(json.dumps(tool, ensure_ascii=False)) for tool in tools}
    total = sum(sizes.values())
    with capsys.disabled():
        print(f"\ntools/list, core: {len(tools)} tools, about {total // CHARACTERS_A_TOKEN} tokens")
        for name, size in sizes.items():
            print(f"  {name}: {size // CHARACTERS_A_TOKEN}")
    assert len(tools) <= 12
    assert total <= TOKENS * CHARACTERS_A_TOKEN


def test_core_is_a_part_of_full_in_the_same_order() -> None:
    names = [tool.name for tool in FULL]
    assert [tool.name for tool in CORE] == [name for name in names if name in tools_of("core")]
    assert len(set(names)) == len(names)
    with pytest.raises(InvalidInput):
        tools_of("everything")


@pytest.mark.parametrize("tool", listed("full"), ids=lambda tool: tool["name"])
def test_each_tool_has_a_short_description_plain_schemas_and_hints(tool: dict[str, Any]) -> None:
    assert 30 < len(tool["description"]) < 1_500
    assert tool["inputSchema"]["additionalProperties"] is False
    said = tool["inputSchema"]["properties"].items()
    assert {name for name, one in said if not one.get("description")} <= SELF_EXPLAINING
    assert tool["outputSchema"]["type"] == "object"
    assert {"waiting", "parked", "you", "warnings"} <= tool["outputSchema"]["properties"].keys()
    for schema in (tool["inputSchema"], tool["outputSchema"]):
        validator_for(schema).check_schema(schema)
    text = json.dumps(tool["inputSchema"])
    assert "$ref" not in text
    allowed = {"memory_consolidate", "memory_search"}  # published exactly as the contract has it
    assert "anyOf" not in text or tool["name"] in allowed
    hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert tool["annotations"].keys() >= hints


def test_the_annotations_of_mail_are_those_of_the_contract() -> None:
    tools = {tool["name"]: tool["annotations"] for tool in listed("full")}
    mail = tools["memory_message"]
    assert (mail["readOnlyHint"], mail["destructiveHint"]) == (False, False)
    assert (mail["idempotentHint"], mail["openWorldHint"]) == (False, True)
    looking = tools["fetch_inbox"]
    assert (looking["readOnlyHint"], looking["idempotentHint"]) == (True, True)


def test_the_descriptions_say_what_an_agent_must_know() -> None:
    said = {tool.name: tool.description for tool in FULL}
    mail = " ".join(said["memory_message"].split())
    for needed in (
        "approve nothing",
        "read, not done",
        "no proof of reading",
        "sending again does not force one",
        "only when true",
        "identical send after an uncertain result",
        "acknowledge only what you have read",
        "may receive, but must not ack or send",
        "fetch_inbox",
        "wait_for_mail",
    ):
        assert needed in mail, needed
    assert "`waiting`" in INSTRUCTIONS


@pytest.mark.parametrize("tool", [tool.name for tool in FULL if tool.needs_store])
def test_without_a_store_each_tool_says_the_way_out(tool: str) -> None:
    async def ask() -> dict[str, Any]:
        async with Client(GitmailServer(Session(nowhere), tools_of("full"))) as client:
            answer = await client.call_tool(tool, {})
        assert answer.is_error
        assert answer.structured_content is not None
        return dict(answer.structured_content)

    answer = anyio.run(ask)
    assert answer["error"] == "store_not_found"
    assert "gitmail init" in answer["hint"]


def test_an_unknown_tool_is_answered_with_those_there_are() -> None:
    async def ask() -> dict[str, Any]:
        async with Client(GitmailServer(Session(nowhere), tools_of("core"))) as client:
            answer = await client.call_tool("send_mail", {})
        return dict(answer.structured_content or {})

    answer = anyio.run(ask)
    assert answer["error"] in ("unknown_tool", "store_not_found")
