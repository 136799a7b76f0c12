"""`gitmail serve`: one MCP server process on standard input and output.

It ends within two seconds of the end of its input or of SIGTERM, the transaction at hand finished
and answered: input passes through a pipe of our own, whose end the SDK sees only after that.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from gitmail.errors import GitmailError
from gitmail_server.app import GitmailServer
from gitmail_server.caretaker import Caretaker
from gitmail_server.desk import Start, open_desk
from gitmail_server.ending import PARTING, Ending
from gitmail_server.identity import explicit_name
from gitmail_server.notify import CHANNEL_VARIABLE, Notify
from gitmail_server.session import Session
from gitmail_server.surrogates import mend_surrogates
from gitmail_server.toolsets import tools_of
from gitmail_server.watching import Watching

logger = logging.getLogger("gitmail.server")

_CHUNK = 65_536


def main(
    agent: str | None = None,
    toolset: str = "core",
    http: str | None = None,
    network: bool = False,
    project: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> int:
    """Serve until the input ends or the process is told to stop; return the exit code.

    `agent` is the name given on the command line, `project` a folder of the project, `environ`
    the process's environment. A project without a store is no error: each tool says so, until
    there is one. With `http` (HOST:PORT) serve many agents there instead, beyond loopback only
    with `network`. Raises InvalidInput `invalid_agent`, `invalid_toolset`, and what serve_http
    raises.
    """
    environ = os.environ if environ is None else environ
    explicit_name(agent, environ)
    tools = tools_of(toolset)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="gitmail serve: %(levelname)s: %(message)s"
    )
    start = Start(environ, Path.cwd(), os.getppid(), agent, project)
    if http is not None:
        from gitmail_server.http import read_address, serve_http  # a web server is not for everyone

        return serve_http(start, read_address(http, anywhere=network), tools)
    session = Session(lambda: open_desk(start), start.place)
    notify = Notify(session, channel=environ.get(CHANNEL_VARIABLE) == "1")
    options = notify.options()
    watching = Watching(session, options["subscriptions"], inbox_elsewhere=True)
    server = GitmailServer(session, tools, **watching.beside(options))
    _run(server, session)
    return 0


def _run(server: GitmailServer, session: Session) -> None:
    import anyio

    ending = Ending(server.in_flight, session.stops.stop_all, session.close)
    ending.on_signals()
    _Input(ending).start()
    threading.Thread(target=_warm, args=(session,), name="gitmail-open", daemon=True).start()
    Caretaker(session, server.in_flight).start()
    with contextlib.suppress(*_CLIENT_GONE):
        try:
            anyio.run(server.run_stdio_async)
        except* _CLIENT_GONE:
            logger.info("the client is gone")
    ending.end()


_CLIENT_GONE = (BrokenPipeError, ConnectionResetError)


def _warm(session: Session) -> None:
    """Open the store and attach before the first call; what is wrong then, each call says."""
    try:
        session.desk  # noqa: B018 - opened by being asked for
    except GitmailError as error:
        logger.warning("%s %s", error.message, error.hint)


class _Input:
    """Passes standard input on through a pipe, whose end comes only when all calls are answered."""

    def __init__(self, ending: Ending) -> None:
        self._ending = ending

    def start(self) -> None:
        """Put the pipe in the place of standard input."""
        source = os.dup(0)
        reading, self._writing = os.pipe()
        os.dup2(reading, 0)
        os.close(reading)
        threading.Thread(target=self._pump, args=(source,), name="gitmail-in", daemon=True).start()

    def _pump(self, source: int) -> None:
        with contextlib.suppress(OSError):
            line: list[bytes] = []
            while data := os.read(source, _CHUNK):
                head, end, rest = data.rpartition(b"\n")
                if end:
                    self._pass_on(mend_surrogates(b"".join([*line, head, end])))
                    line.clear()
                line.append(rest)
            self._pass_on(mend_surrogates(b"".join(line)))
        self._ending.finish_calls()
        os.close(self._writing)
        time.sleep(PARTING)
        self._ending.end()

    def _pass_on(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._writing, rest) :]
