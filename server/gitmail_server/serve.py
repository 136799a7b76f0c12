"""`gitmail serve`: one MCP server process on standard input and output.

It ends within two seconds of the end of its input or of SIGTERM, the transaction at hand finished
and answered: input passes through a pipe of our own, whose end the SDK sees only after that.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from gitmail.errors import GitmailError, Refused
from gitmail_server.app import GitmailServer
from gitmail_server.caretaker import Caretaker
from gitmail_server.desk import Start, open_desk
from gitmail_server.identity import explicit_name
from gitmail_server.notify import CHANNEL_VARIABLE, Notify
from gitmail_server.session import Session
from gitmail_server.toolsets import tools_of

logger = logging.getLogger("gitmail.server")

PATIENCE = 1.2
"""Seconds that calls at hand may take once the process shall end."""
_SETTLE = 0.1
"""Seconds for what was read but not started, and for what was answered but not written."""
_PARTING = 0.2
"""Seconds for the SDK to see the end of its input, and for detaching; then the process is gone."""
_CHUNK = 65_536


def main(
    agent: str | None = None,
    toolset: str = "core",
    http: str | None = None,
    project: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> int:
    """Serve until the input ends or the process is told to stop; return the exit code.

    `agent` is the name given on the command line, `project` a folder of the project, `environ`
    the process's environment. A project without a store is no error: each tool says so, until
    there is one. Raises InvalidInput `invalid_agent`, `invalid_toolset`.
    """
    environ = os.environ if environ is None else environ
    if http is not None:
        raise Refused(
            "not_available_yet",
            "Serving over HTTP is not there yet.",
            "Start one `gitmail serve` over stdio for each agent.",
        )
    explicit_name(agent, environ)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="gitmail serve: %(levelname)s: %(message)s"
    )
    start = Start(environ, Path.cwd(), os.getppid(), agent, project)
    session = Session(lambda: open_desk(start), start.place)
    notify = Notify(session, channel=environ.get(CHANNEL_VARIABLE) == "1")
    server = GitmailServer(session, tools_of(toolset), **notify.options())
    notify.offer(server)
    _run(server, session)
    return 0


def _run(server: GitmailServer, session: Session) -> None:
    import anyio

    ending = _Ending(server, session)
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


class _Ending:
    """How the process ends: calls at hand first, then detached, then gone whatever still runs."""

    def __init__(self, server: GitmailServer, session: Session) -> None:
        self._server = server
        self._session = session

    def on_signals(self) -> None:
        """End on SIGTERM, SIGINT and SIGHUP."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._told)

    def _told(self, _number: int, _frame: object) -> None:
        threading.Thread(target=self._finish_and_end, name="gitmail-end", daemon=True).start()

    def _finish_and_end(self) -> None:
        self.finish_calls()
        self.end()

    def finish_calls(self) -> None:
        """Wait, but not long, until every call that was read has been answered."""
        self._session.stops.stop_all()
        self._server.in_flight.wait_idle(PATIENCE, _SETTLE)

    def end(self) -> None:
        """Detach and leave at once: no thread that still waits for something is waited for."""
        closing = threading.Thread(target=self._session.close, daemon=True)
        closing.start()
        closing.join(_PARTING)
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(0)


class _Input:
    """Passes standard input on through a pipe, whose end comes only when all calls are answered."""

    def __init__(self, ending: _Ending) -> None:
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
            while data := os.read(source, _CHUNK):
                self._pass_on(data)
        self._ending.finish_calls()
        os.close(self._writing)
        time.sleep(_PARTING)
        self._ending.end()

    def _pass_on(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._writing, rest) :]
