"""MCP notifications of a stdio server: nice where a host honours them, and nothing relies on them.

`gitmail://inbox/NAME` is a resource whose change is announced in both protocol eras: to handshake
clients after `resources/subscribe`, to 2026-07-28 clients on their `subscriptions/listen` stream.
A subscription counts as a listener for rings while it stands. The channel, off unless switched on,
pushes the line about a ring into a running session. All of it through the SDK's public seams: a
middleware sees every request, the lifespan runs beside them.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, Notification

from gitmail.errors import GitmailError
from gitmail.mail.waiting import Pending, pending_now, take_rings
from gitmail.values.hints import hint_line
from gitmail.values.names import fold
from gitmail_server.session import Session

logger = logging.getLogger("gitmail.server")

INBOX = "gitmail://inbox/"
CHANNEL_VARIABLE = "GITMAIL_CHANNEL"
"""Set to 1, the channel is offered (docs/hosts.md)."""
_CHANNEL = "claude/channel"
_MODERN = "2026-07-28"
_LATER = 5.0
"""Seconds until the store is tried again, where there is none yet."""


class Notify:
    """The notifications of one server: its bus, its middleware and the task that feeds them.

    A stdio server has one client, but the SDK makes a session object for each of its requests.
    """

    def __init__(self, session: Session, *, channel: bool = False) -> None:
        self._session = session
        self._channel = channel
        self._bus = InMemorySubscriptionBus()
        self._client: ServerSession | None = None
        self._subscribed: tuple[ServerSession, str, ExitStack] | None = None
        self._spelled: set[str] = set()
        self._wanted = anyio.Event()

    def options(self) -> dict[str, Any]:
        """Return what the server's constructor needs to know of this."""
        return {
            "subscriptions": self._bus,
            "middleware": [self._middle],
            "lifespan": self._lifespan,
        }

    # -- what clients ask ----------------------------------------------------------------------

    async def _middle(
        self, context: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        legacy = context.protocol_version < _MODERN
        if legacy and context.method in ("resources/subscribe", "resources/unsubscribe"):
            return await self._subscription(context)
        if context.method == "subscriptions/listen":
            return await self._listen(context, call_next)
        if self._channel:
            self._client = context.session
            self._wanted.set()
        result = await call_next(context)
        if context.method in ("initialize", "server/discover") and isinstance(result, dict):
            self._declare(result, legacy=context.method == "initialize")
        return result

    def _declare(self, result: dict[str, Any], *, legacy: bool) -> None:
        """Say what works: subscribing for handshake clients, and the channel where it is on."""
        capabilities = result.setdefault("capabilities", {})
        if legacy:
            capabilities.setdefault("resources", {})["subscribe"] = True
        if self._channel:
            capabilities.setdefault("experimental", {})[_CHANNEL] = {}

    async def _subscription(self, context: ServerRequestContext[Any, Any]) -> HandlerResult:
        uri = (context.params or {}).get("uri")
        if not await self._is_mine(uri):
            message = f"There is nothing to subscribe to at {str(uri)[:200]}"
            raise MCPError(INVALID_PARAMS, message, data={"uri": uri})
        self._unsubscribe()
        if context.method == "resources/subscribe":
            self._subscribed = (context.session, str(uri), self._armed())
            self._wanted.set()
        return {}

    def _unsubscribe(self) -> None:
        held, self._subscribed = self._subscribed, None
        if held is not None:
            held[2].close()

    async def _listen(
        self, context: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Serve a stream; one that asks for the inbox is a listener as long as it stands."""
        wanted = (context.params or {}).get("notifications")
        uris = wanted.get("resourceSubscriptions") if isinstance(wanted, Mapping) else None
        mine = [await self._is_mine(uri) for uri in uris] if isinstance(uris, list) else []
        if not any(mine):
            return await call_next(context)
        self._wanted.set()
        with self._armed():
            return await call_next(context)

    async def _is_mine(self, uri: object) -> bool:
        if not isinstance(uri, str) or not uri.startswith(INBOX):
            return False
        try:
            caller = await anyio.to_thread.run_sync(lambda: self._session.caller)
        except GitmailError:
            return False
        mine = fold(uri.removeprefix(INBOX)) == fold(caller.name)
        if mine:
            self._spelled.add(uri)  # a client knows a resource by the very string it asked for
        return mine

    def _armed(self) -> ExitStack:
        held = ExitStack()
        held.enter_context(self._session.presence.listening(self._session.caller.name))
        return held

    # -- what is sent --------------------------------------------------------------------------

    @asynccontextmanager
    async def _lifespan(self, _server: object) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(self._run)
            try:
                yield
            finally:
                group.cancel_scope.cancel()
                self._unsubscribe()

    async def _run(self) -> None:
        """Look whenever the mailbox may have changed, as soon as anybody wants to know."""
        await self._wanted.wait()
        before: frozenset[str] | None = None
        generation = -1
        while True:
            try:
                notifier = await anyio.to_thread.run_sync(lambda: self._session.notifier)
                seen = generation
                generation = await anyio.to_thread.run_sync(
                    notifier.wait, seen, _LATER, abandon_on_cancel=True
                )
                if generation > seen:
                    before = await self._look(before)
            except GitmailError as error:
                logger.info("no notifications for now: %s", error.message)
                await anyio.sleep(_LATER)

    async def _look(self, before: frozenset[str] | None) -> frozenset[str]:
        store, name = self._session.store, self._session.caller.name
        found = await anyio.to_thread.run_sync(pending_now, store, name)
        now = frozenset(letter.id for letter in found.letters)
        if before is not None and now != before:
            for uri in sorted(self._spelled):
                await self._updated(uri)
        if self._client is not None:
            rung = await anyio.to_thread.run_sync(
                take_rings, store, name, f"{self._session.desk.listener}.channel"
            )
            await self._push(self._client, hint_line(name, rung.letters, rung.waiting), rung)
        return now

    async def _updated(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=uri))
        if self._subscribed is not None and self._subscribed[1] == uri:
            with suppress(*_GONE):
                await self._subscribed[0].send_resource_updated(uri)

    async def _push(self, client: ServerSession, line: str, rung: Pending) -> None:
        """Hand a line of facts to the client; whether anybody reads it cannot be known."""
        if not line:
            return
        params = {"content": line, "meta": {"waiting": str(rung.waiting)}}
        message = Notification[dict[str, Any], str](
            method=f"notifications/{_CHANNEL}", params=params
        )
        with suppress(*_GONE):
            await client.send_notification(message)  # type: ignore[arg-type]


_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError)
