"""The HTTP server for the protocol's conformance suite, which cannot send a bearer token.

Takes the project's folder and an agent; prints its URL. The application is the real one: requests
without a token get the agent's, and that is all that differs from `gitmail serve --http`.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn

from gitmail.board.credentials import Credentials
from gitmail.store.location import find_project, open_store
from gitmail_server.http import Address, http_app
from gitmail_server.pool import Pool
from gitmail_server.toolsets import tools_of


def main(folder: str, agent: str) -> None:
    pool = Pool(open_store(find_project(Path(folder), None)))
    bearer = f"Bearer {Credentials(pool.store.private).issue(agent)}".encode()
    _, app = http_app(pool, tools_of("full"), Address("127.0.0.1", 0))

    async def with_token(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and not any(
            name == b"authorization" for name, _ in scope["headers"]
        ):
            scope = scope | {"headers": [*scope["headers"], (b"authorization", bearer)]}
        await app(scope, receive, send)

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
        config = uvicorn.Config(with_token, log_config=None, lifespan="on")
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main(*sys.argv[1:])
