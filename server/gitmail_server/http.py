"""`gitmail serve --http HOST:PORT`: streamable HTTP for many agents at once, in both eras.

The bearer token is the agent's registration token and says who calls. Loopback only, unless
somebody asks for more; Host and Origin are checked, so that no page in a browser can reach it.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import socket
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import uvicorn
from mcp.server.auth.settings import AuthSettings
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.types import ASGIApp

from gitmail.errors import InvalidInput, Refused, StoreUnavailable
from gitmail.store.location import open_store
from gitmail_server.app import GitmailServer
from gitmail_server.caretaker import Caretaker
from gitmail_server.desk import Start, project_name
from gitmail_server.ending import Ending
from gitmail_server.pool import Pool
from gitmail_server.tool import Tool
from gitmail_server.watching import Watching

logger = logging.getLogger("gitmail.server")

PATH = "/mcp"
BODY_LIMIT = 2 * 1024 * 1024
"""Most bytes of a request: the largest text, every character of it escaped."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    @property
    def loopback(self) -> bool:
        """True for an address that only this machine can reach."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_address(text: str, *, anywhere: bool = False) -> Address:
    """Read HOST:PORT, [IPv6]:PORT or a port alone (loopback).

    Raises InvalidInput `invalid_http`, Refused `not_loopback` unless `anywhere`.
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and int(port) < 65536):
        raise InvalidInput(
            "invalid_http",
            f"{text[:80]!r} is not HOST:PORT.",
            "Write for instance 127.0.0.1:8765; port 0 takes a free one.",
            argument="http",
        )
    address = Address(host.strip("[]") or "127.0.0.1", int(port))
    if not address.loopback and not anywhere:
        raise Refused(
            "not_loopback",
            f"{address.host} can be reached from other machines; tokens would cross the network "
            "in clear text.",
            "Use 127.0.0.1, or add --allow-network behind a proxy that speaks TLS.",
            http=text[:80],
        )
    return address


def serve_http(start: Start, address: Address, tools: Mapping[str, Tool[Any]]) -> int:
    """Serve until the process is told to stop.

    Raises StoreUnavailable `address_unusable`, and what finding and opening the store raises.
    """
    listening = _listen(address)
    place = start.place()
    pool = Pool(open_store(place), project_name(place.project))
    server, app = http_app(pool, tools, address)
    ending = Ending(server.in_flight, pool.stop_all, pool.close)
    ending.on_signals()
    Caretaker(pool, server.in_flight).start()
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"gitmail serve: http://{shown}:{port}{PATH}", file=sys.stderr, flush=True)  # noqa: T201
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_keep_alive=30
    )
    _Uvicorn(config).run(sockets=[listening])
    ending.end()
    return 0


def http_app(
    pool: Pool, tools: Mapping[str, Tool[Any]], address: Address
) -> tuple[GitmailServer, ASGIApp]:
    """Return the server, and the ASGI application that speaks for every agent of `pool`."""
    bus = InMemorySubscriptionBus()
    server = GitmailServer(
        pool,
        tools,
        **Watching(pool, bus).beside({"subscriptions": bus}),
        token_verifier=pool,
        auth=AuthSettings(
            issuer_url=AnyHttpUrl("http://127.0.0.1"),  # asked for, never shown: no metadata
            resource_server_url=None,
        ),
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=BODY_LIMIT,
        max_sessions=1_000,
        transport_security=_allowed(address),
    )
    return server, app


def _allowed(address: Address) -> TransportSecuritySettings:
    """Say under which names this server may be called."""
    names = {*_LOOPBACK, f"[{address.host}]" if ":" in address.host else address.host}
    if not address.loopback:
        names |= {socket.gethostname(), socket.getfqdn()}
    hosts = [f"{name}:*" for name in sorted(names)]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{host}" for host in hosts],
    )


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address.host, address.port))
    except OSError as error:
        listening.close()
        raise StoreUnavailable(
            "address_unusable",
            f"Cannot listen on {address.host}:{address.port}: {error.strerror}.",
            "Choose another port; 0 takes a free one.",
        ) from error
    listening.listen(128)
    return listening


class _Uvicorn(uvicorn.Server):
    """Uvicorn without its signal handlers: how this process ends is Ending's to say."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield
