"""What a command works with: the project, its store, who is acting, and where the answer goes.

The only module, with main, that the environment reaches; commands ask here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

from gitmail.board.handwork import look_at_handwork
from gitmail.board.identity import AGENT_KEY, Identity, Source, identify
from gitmail.board.presence import Presence
from gitmail.cli.output import Output
from gitmail.errors import StoreUnavailable
from gitmail.index.agents import agent_by_name
from gitmail.store.location import Place, find_project, open_store
from gitmail.store.notice import Notice
from gitmail.store.store import Store

if TYPE_CHECKING:
    from gitmail.board.caller import Caller

PROJECT_VARIABLES = ("GITMAIL_PROJECT", "CLAUDE_PROJECT_DIR")
AGENT_VARIABLE = "GITMAIL_AGENT"
LOGIN_VARIABLES = ("LOGNAME", "USER", "LNAME", "USERNAME")


@dataclass(slots=True)
class App:
    """One run of the command line. `as_name` and `project_path` are what the options said."""

    environ: Mapping[str, str]
    output: Output
    as_name: str | None = None
    project_path: str | None = None
    _place: Place | None = field(default=None, repr=False)
    _store: Store | None = field(default=None, repr=False)
    _warnings: list[Notice] = field(default_factory=list, repr=False)

    @classmethod
    def of_process(cls, environ: Mapping[str, str], as_json: bool) -> App:
        """Return the app of this process, answering on its standard streams."""
        return cls(environ, Output(sys.stdout, sys.stderr, as_json=as_json))

    # -- where -------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The folder (or file) that says which project is meant; need not exist.

        --project > GITMAIL_PROJECT > CLAUDE_PROJECT_DIR > the working folder; empty counts as not
        given. Raises StoreUnavailable `no_working_folder` when that was deleted.
        """
        given = (self.project_path, *(self.environ.get(name) for name in PROJECT_VARIABLES))
        try:
            cwd = Path.cwd()
        except FileNotFoundError as error:
            raise StoreUnavailable(
                "no_working_folder",
                "The working folder was deleted.",
                "Change to a folder that exists.",
            ) from error
        chosen = next((path for path in given if path and path.strip()), None)
        if chosen is None:
            return cwd
        return Path(chosen) if PureWindowsPath(chosen).drive else cwd / chosen

    @property
    def place(self) -> Place:
        """The project and where its store is, or would be; raises as find_project does."""
        if self._place is None:
            home = self.environ.get("HOME")
            self._place = find_project(self.folder, Path(home) if home else None)
        return self._place

    def open_quietly(self) -> Store:
        """Open the store and look at nothing else; it is closed when the app is."""
        if self._store is None:
            self._store = open_store(self.place)
        return self._store

    def open(self, *, writes: bool) -> Store:
        """Open the store and settle what people did to its files by hand.

        For a command that only reads, trouble with that (a read-only store) becomes a warning.
        """
        store = self.open_quietly()
        look_at_handwork(store, self._own_name(store), must=writes)
        return store

    # -- who ---------------------------------------------------------------------------------

    @property
    def login(self) -> str | None:
        """The name of the account, as the environment tells it."""
        return next((name for key in LOGIN_VARIABLES if (name := self.environ.get(key))), None)

    @property
    def identity(self) -> Identity:
        """Who acts: --as > GITMAIL_AGENT > git config gitmail.agent > the git user."""
        project = self.place.project
        return identify(
            argument=self.as_name,
            environment=self.environ.get(AGENT_VARIABLE),
            checkout=project.config.get(AGENT_KEY),
            git_user=project.user_name,
            login=self.login,
        )

    def name(self, store: Store) -> str:
        """Return the name of who acts, in its registered spelling.

        A name given with --as must be registered: a typing error must not make an agent. The
        others are registered by their first write. Raises NotFound `agent_not_found`.
        """
        identity = self.identity
        if identity.source is not Source.ARGUMENT:
            return self._own_name(store)
        from gitmail.mail.references import find_agent

        return store.read(lambda view: find_agent(view, identity.name, "as").name)

    def caller(self, store: Store) -> Caller:
        """Return who acts, able to write; raises as `name`. Counts as an action of theirs."""
        identity = Identity(self.name(store), self.identity.source)
        Presence(store.private).acted(identity.name, store.clock())
        return identity.caller(store.config().maintainers if identity.person else ())

    def _own_name(self, store: Store) -> str:
        name = self.identity.name
        row = store.read(lambda view: agent_by_name(view.index, name))
        return row.agent.name if row else name

    def warn(self, notice: Notice) -> None:
        """Warn of something besides the store, with the answer."""
        self._warnings.append(notice)

    # -- the answer --------------------------------------------------------------------------

    @property
    def warnings(self) -> list[Notice]:
        """What this run has to warn of so far."""
        if self._store is not None:
            self._warnings += self._store.take_notices()
        return self._warnings

    def answer(self, shape: Mapping[str, Any], lines: Iterable[str] = ()) -> None:
        """Give the answer: `shape` with --json, else the lines; then the warnings."""
        if self.output.as_json:
            self.output.json({**shape, **self._warnings_shape()})
            return
        self.output.lines(lines)

    def _warnings_shape(self) -> dict[str, Any]:
        found = self.warnings
        return {"warnings": [one.as_dict() for one in found]} if found else {}

    def __enter__(self) -> App:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self.output.as_json:
            self.output.warnings(self.warnings)
        if self._store is not None:
            self.warnings  # noqa: B018 - taken before the store forgets them
            self._store.close()
