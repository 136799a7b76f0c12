"""MCP notifications in both protocol eras: sent where asked for, declared only where they work."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from waking_world import World

from gitmail.board.presence import Presence
from gitmail_server.app import GitmailServer
from gitmail_server.desk import Desk
from gitmail_server.notify import INBOX, Notify
from gitmail_server.session import Session
from gitmail_server.toolsets import tools_of

URI = f"{INBOX}Blue"

pytestmark = pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed")


@asynccontextmanager
async def server_of(world: World, *, channel: bool = False) -> AsyncIterator[GitmailServer]:
    """Blue's server, in this process, with a store of its own."""
    caller = world.caller("Blue")
    with ExitStack() as ending:
        store = ending.enter_context(world.reopened())
        desk = Desk(store, caller, Presence(store.private), False, ExitStack(), "session-blue")
        session = Session(lambda: desk)
        ending.callback(session.close)
        notify = Notify(session, channel=channel)
        server = GitmailServer(session, tools_of("core"), **notify.options())
        yield server


def run(play: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        with anyio.fail_after(30):
            await play()

    anyio.run(main)


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    return await anyio.to_thread.run_sync(lambda: function(*arguments))


def listens(world: World) -> bool:
    return Presence(world.store.private).seen("Blue").listening


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await anyio.sleep(0.02)


def test_a_handshake_client_that_subscribed_is_told_once_for_each_change(world: World) -> None:
    heard: list[Any] = []

    async def play() -> None:
        async with server_of(world) as server:

            async def hear(message: Any) -> None:
                heard.append(message)

            async with Client(server, mode="legacy", message_handler=hear) as client:
                assert client.server_capabilities.resources.subscribe is True
                await client.session.subscribe_resource(URI)
                await until(lambda: listens(world))
                await anyio.sleep(0.3)
                await in_thread(world.letter, "Green", "Blue")
                await until(lambda: bool(heard))
                await anyio.sleep(0.5)
                assert [one.method for one in heard] == ["notifications/resources/updated"]
                assert heard[0].params.uri == URI
                await client.session.unsubscribe_resource(URI)
                await until(lambda: not listens(world))
                await in_thread(world.letter, "Green", "Blue")
                await anyio.sleep(0.5)
        assert len(heard) == 1

    run(play)


@pytest.mark.parametrize("uri", [URI, f"{INBOX}bLUE"])
def test_a_client_of_the_new_era_hears_of_the_change_on_its_stream(world: World, uri: str) -> None:
    async def play() -> None:
        async with server_of(world) as server, Client(server) as client:
            async with client.listen(resource_subscriptions=[uri]) as stream:
                await until(lambda: listens(world))
                await anyio.sleep(0.3)
                await in_thread(world.letter, "Green", "Blue", "News")
                event = await anext(aiter(stream))
                assert event.uri == uri
                read = await client.read_resource(URI)
                content = json.loads(read.contents[0].text)
                assert content["waiting"] == 1
                assert content["letters"][0]["subject"] == "News"
            await until(lambda: not listens(world))

    run(play)


def test_a_subscription_makes_a_ring_rung(world: World) -> None:
    async def play() -> None:
        async with server_of(world) as server, Client(server, mode="legacy") as client:
            await client.session.subscribe_resource(URI)
            await until(lambda: listens(world))
            sent = await in_thread(lambda: world.message("Green", "Blue", urgent=True))
            assert sent.receipts[0].wake.decision == "rung"

    run(play)


@pytest.mark.parametrize("uri", [f"{INBOX}Green", "gitmail://other", ""])
def test_only_the_agents_own_inbox_can_be_subscribed_to(world: World, uri: str) -> None:
    async def play() -> None:
        async with server_of(world) as server, Client(server, mode="legacy") as client:
            with pytest.raises(MCPError):
                await client.session.subscribe_resource(uri)

    run(play)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("channel", [False, True])
def test_the_channel_is_declared_only_where_it_is_switched_on(
    world: World, mode: Any, channel: bool
) -> None:
    async def play() -> None:
        async with server_of(world, channel=channel) as server, Client(server, mode=mode) as client:
            declared = client.server_capabilities.experimental or {}
            assert ("claude/channel" in declared) is channel

    run(play)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_that_drops_every_notification_learns_of_mail_at_its_next_tool(
    world: World, mode: Any
) -> None:
    async def play() -> None:
        async with server_of(world, channel=True) as server, Client(server, mode=mode) as client:
            await in_thread(lambda: world.message("Green", "Blue", urgent=True))
            answer = await client.call_tool("fetch_inbox", {"agent_name": "Blue"})
            assert answer.structured_content is not None
            assert answer.structured_content["waiting"] == 1

    run(play)
