"""Subscriptions to resources, in both protocol eras; only the SDK's public seams are used.

Handshake clients ask with `resources/subscribe` and are told on their connection's own channel;
2026-07-28 clients hold a `subscriptions/listen` stream. What somebody watches is read again when
main has moved, and told when it reads differently. Nothing relies on it: a client that misses an
event finds the same by reading.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ResourceUpdated, SubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from gitmail.errors import GitmailError
from gitmail_server import resources
from gitmail_server.app import Sessions
from gitmail_server.session import Session

logger = logging.getLogger("gitmail.server")

INTERVAL = 0.5
"""Seconds between looks at main while anybody watches."""
MOST = 1_000
"""Most watched resources of one server."""
_MODERN = "2026-07-28"
_SUBSCRIBE = "resources/subscribe"
_UNSUBSCRIBE = "resources/unsubscribe"


@dataclass(eq=False, slots=True)
class _Watched:
    """One resource that one client watches; `client` is None for a listen stream."""

    uri: str
    session: Session
    client: ServerSession | None
    connection: str
    seen: str


class Watching:
    """The subscriptions of one server.

    `inbox_elsewhere`: somebody else announces the inbox of a stdio server (gitmail_server.notify).
    """

    def __init__(
        self, sessions: Sessions, bus: SubscriptionBus, *, inbox_elsewhere: bool = False
    ) -> None:
        self._sessions = sessions
        self._bus = bus
        self._inbox_elsewhere = inbox_elsewhere
        self._watched: list[_Watched] = []
        self._wanted = anyio.Event()

    def beside(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a server's constructor with this one's parts added to them."""
        lifespan = options.get("lifespan")

        @asynccontextmanager
        async def both(server: object) -> AsyncIterator[None]:
            async with AsyncExitStack() as ending:
                if lifespan is not None:
                    await ending.enter_async_context(lifespan(server))
                await ending.enter_async_context(self.running())
                yield

        middleware = [self.middle, *options.get("middleware", ())]
        return dict(options) | {"middleware": middleware, "lifespan": both}

    async def middle(
        self, context: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """See every request; answer those about subscriptions."""
        uri = (context.params or {}).get("uri")
        legacy = context.protocol_version < _MODERN
        subscribes = legacy and context.method in (_SUBSCRIBE, _UNSUBSCRIBE)
        if subscribes and isinstance(uri, str) and self._is_ours(uri):
            return await self._subscription(context, uri)
        if context.method == "subscriptions/listen":
            return await self._listen(context, call_next)
        result = await call_next(context)
        if context.method == "initialize" and isinstance(result, dict):
            capabilities = result.setdefault("capabilities", {})
            capabilities.setdefault("resources", {})["subscribe"] = True
        return result

    def _is_ours(self, uri: str) -> bool:
        return not (self._inbox_elsewhere and uri.startswith(resources.INBOX))

    async def _subscription(
        self, context: ServerRequestContext[Any, Any], uri: str
    ) -> HandlerResult:
        connection = _connection_of(context)
        self._forget(uri, connection)
        if context.method == _SUBSCRIBE:
            await self._watch(context, uri, context.session, connection)
        return {}

    async def _listen(
        self, context: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Watch what a stream asks for as long as it stands."""
        wanted = (context.params or {}).get("notifications")
        uris = wanted.get("resourceSubscriptions") if isinstance(wanted, Mapping) else None
        mine = []
        try:
            for uri in uris if isinstance(uris, list) else []:
                if isinstance(uri, str) and self._is_ours(uri):
                    mine.append(await self._watch(context, uri, None, ""))
            return await call_next(context)
        finally:
            self._watched = [one for one in self._watched if one not in mine]

    async def _watch(
        self,
        context: ServerRequestContext[Any, Any],
        uri: str,
        client: ServerSession | None,
        connection: str,
    ) -> _Watched:
        """Begin to watch a resource, which the client must be able to read."""
        session = self._sessions.of(context.request)
        if len(self._watched) >= MOST:
            raise MCPError(INVALID_PARAMS, "Too many subscriptions", data={"uri": uri})
        try:
            seen = await anyio.to_thread.run_sync(resources.read, session, uri)
        except GitmailError as error:
            raise MCPError(INVALID_PARAMS, error.message, data={"uri": uri}) from error
        watched = _Watched(uri, session, client, connection, seen)
        self._watched.append(watched)
        self._wanted.set()
        return watched

    def _forget(self, uri: str, connection: str) -> None:
        self._watched = [
            one for one in self._watched if (one.uri, one.connection) != (uri, connection)
        ]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Tell about changes for the body."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._run)
            try:
                yield
            finally:
                group.cancel_scope.cancel()

    async def _run(self) -> None:
        main: str | None = None
        while True:
            if not self._watched:
                self._wanted, main = anyio.Event(), None
                await self._wanted.wait()
            before, main = main, await self._main()
            if main != before:
                await self._look()
            await anyio.sleep(INTERVAL)

    async def _main(self) -> str | None:
        """Return main as it stands; None while it cannot be told."""
        session = self._watched[0].session if self._watched else None
        if session is None:
            return None
        with suppress(GitmailError):
            return await anyio.to_thread.run_sync(session.store.main)
        return None

    async def _look(self) -> None:
        for one in list(self._watched):
            try:
                now = await anyio.to_thread.run_sync(resources.read, one.session, one.uri)
            except GitmailError as error:
                now = error.code
            if now != one.seen and one in self._watched:
                one.seen = now
                await self._tell(one)

    async def _tell(self, one: _Watched) -> None:
        if one.client is None:
            await self._bus.publish(ResourceUpdated(uri=one.uri))
            return
        try:
            await one.client.send_resource_updated(one.uri)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            self._forget(one.uri, one.connection)


def _connection_of(context: ServerRequestContext[Any, Any]) -> str:
    """Return what tells one client's connection from another's; a stdio server has one."""
    headers = getattr(context.request, "headers", {})
    return str(headers.get("mcp-session-id", ""))
