"""Resources and subscriptions in both protocol eras (contract: fetch_inbox, the family)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated
from server_desk import BLUE, ERAS, GREEN, RED, Project

from gitmail.board.agents import register
from gitmail.board.caller import Caller
from gitmail.board.presence import Presence
from gitmail.mail.send import Outgoing, send_letter
from gitmail.values.ids import new_id
from gitmail_server.app import GitmailServer
from gitmail_server.desk import Desk
from gitmail_server.notify import Notify
from gitmail_server.session import Session
from gitmail_server.toolsets import tools_of
from gitmail_server.watching import Watching

pytestmark = pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed")


@asynccontextmanager
async def server(project: Project, name: str) -> AsyncIterator[GitmailServer]:
    """A server put together as `gitmail serve` does it."""
    with ExitStack() as ending:
        store = ending.enter_context(project.open())
        desk = Desk(store, Caller(name, new_id()), Presence(store.private), False, ExitStack())
        session = Session(lambda: desk)
        ending.callback(session.close)
        options = Notify(session).options()
        watching = Watching(session, options["subscriptions"], inbox_elsewhere=True)
        yield GitmailServer(session, tools_of("full"), **watching.beside(options))


def _post(project: Project, *to: str, **more: Any) -> str:
    with project.open() as store:
        letter = Outgoing(to, "Tides", "High water at noon.", **more)
        return send_letter(store, Caller(BLUE, new_id()), letter).letter.id


async def _read(client: Client, uri: str) -> dict[str, Any]:
    [content] = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    assert content.mime_type == "application/json"
    found: dict[str, Any] = json.loads(content.text)
    return found


@pytest.mark.parametrize("era", ERAS)
def test_everything_is_read_by_its_uri_and_an_inbox_by_its_owner(
    project: Project, era: str
) -> None:
    letter = _post(project, GREEN, thread="FEAT/1 \u00e9", bcc=(RED,))
    hidden = _post(project, bcc=(RED,))

    async def main() -> None:
        async with server(project, GREEN) as one, Client(one, mode=era) as client:
            listed = await client.list_resources()
            assert [str(r.uri) for r in listed.resources] == [
                "gitmail://agents",
                "gitmail://reservations",
            ]
            found = (await client.list_resource_templates()).resource_templates
            assert [template.uri_template for template in found] == [
                "gitmail://inbox/{agent}",
                "gitmail://message/{id}",
                "gitmail://thread/{id}",
                "gitmail://memory/{id}",
            ]
            inbox = await _read(client, f"gitmail://inbox/{GREEN}")
            assert (inbox["agent"], inbox["waiting"]) == (GREEN, 1)
            assert inbox["letters"][0]["id"] == letter
            shown = await _read(client, f"gitmail://message/{letter[:10]}")
            assert shown["body_md"] == "High water at noon."
            assert [one["recipient"] for one in shown["receipts"]] == [GREEN]
            thread = await _read(client, "gitmail://thread/FEAT%2F1%20%C3%A9")
            assert [one["id"] for one in thread["result"]] == [letter]
            agents = await _read(client, "gitmail://agents")
            assert [one["name"] for one in agents["result"]] == [BLUE, GREEN, RED]
            assert (await _read(client, "gitmail://reservations"))["result"] == []
            for wrong in (
                f"gitmail://inbox/{BLUE}",
                "gitmail://inbox/",
                "gitmail://inbox/Nobody",
                f"gitmail://message/{hidden}",
                "gitmail://message/xyz",
                "gitmail://thread/none",
                "gitmail://memory/1",
                "gitmail://memory/..%2F..%2Fetc",
                "gitmail://nothing",
                "gitmail://agents/x",
                "file:///etc/passwd",
            ):
                with pytest.raises(MCPError):
                    await client.read_resource(wrong)

    anyio.run(main)


WATCHED = (
    "gitmail://agents",
    "gitmail://thread/FEAT-1",
    f"gitmail://inbox/{GREEN}",
)


def test_a_listen_stream_tells_of_every_watched_resource(project: Project) -> None:
    _post(project, GREEN, thread="FEAT-1")

    async def main() -> None:
        heard: set[str] = set()
        async with (
            server(project, GREEN) as one,
            Client(one) as client,
            client.listen(resource_subscriptions=list(WATCHED)) as stream,
        ):
            await anyio.sleep(0.2)
            await anyio.to_thread.run_sync(lambda: _post(project, GREEN, thread="FEAT-1"))
            with project.open() as store:
                register(store, "NewComer")
            with anyio.fail_after(30):
                async for event in stream:
                    assert isinstance(event, ResourceUpdated)
                    heard.add(str(event.uri))
                    if heard == set(WATCHED):
                        break

    anyio.run(main)


def test_a_handshake_client_is_told_until_it_unsubscribes(project: Project) -> None:
    _post(project, GREEN, thread="FEAT-1")
    heard: list[str] = []

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    async def main() -> None:
        async with (
            server(project, GREEN) as one,
            Client(one, mode="legacy", message_handler=hear) as client,
        ):
            assert client.server_capabilities.resources is not None
            assert client.server_capabilities.resources.subscribe is True
            for uri in WATCHED:
                await client.subscribe_resource(uri)
            await anyio.sleep(0.2)
            await anyio.to_thread.run_sync(lambda: _post(project, GREEN, thread="FEAT-1"))
            with anyio.fail_after(30):
                while set(heard) != set(WATCHED[1:]):
                    await anyio.sleep(0.05)
            await client.unsubscribe_resource(WATCHED[1])
            heard.clear()
            await anyio.to_thread.run_sync(lambda: _post(project, GREEN, thread="FEAT-1"))
            with anyio.fail_after(30):
                while WATCHED[2] not in heard:
                    await anyio.sleep(0.05)
            await anyio.sleep(1.5)
            assert WATCHED[1] not in heard

    anyio.run(main)


@pytest.mark.parametrize("uri", [f"gitmail://inbox/{BLUE}", "gitmail://nothing", "agents"])
def test_what_cannot_be_read_cannot_be_watched(project: Project, uri: str) -> None:
    async def main() -> None:
        async with server(project, GREEN) as one, Client(one, mode="legacy") as client:
            with pytest.raises(MCPError):
                await client.subscribe_resource(uri)

    anyio.run(main)
