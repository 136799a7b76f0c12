"""The desk of a stdio server: the project's store, opened, and the agent the process speaks for.

Opening commits nothing; it attaches the process, which is private state and ends with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from gitmail.board.caller import Caller
from gitmail.board.presence import Presence
from gitmail.board.sessions import Sessions
from gitmail.git.project import Project
from gitmail.index.agents import agent_names
from gitmail.mail.waiting import begin_listening
from gitmail.store.location import Place, find_project, open_store
from gitmail.store.store import Store
from gitmail.values.ids import new_id
from gitmail_server.identity import Identity, take_identity, wish_of

_PROJECT_VARIABLES = ("GITMAIL_PROJECT", "CLAUDE_PROJECT_DIR")
_PROGRAMS = {"CLAUDECODE": "claude-code", "GEMINI_CLI": "gemini-cli", "CODEX_THREAD_ID": "codex"}
"""Variables that a host sets for the programs it starts, and what the host is called."""
_NO_SESSION = "server-"
"""How the memory of a server begins whose host has no session to resume."""


@dataclass(frozen=True, slots=True)
class Start:
    """How the process was started: by which process, where, with what options and environment."""

    environ: Mapping[str, str]
    folder: Path
    host: int
    agent: str | None = None
    project: str | None = None

    @property
    def project_folder(self) -> Path:
        """The folder whose project is meant (docs/architecture.md, which project)."""
        named = [self.project, *(self.environ.get(name) for name in _PROJECT_VARIABLES)]
        chosen = next((name for name in named if name), None)
        return self.folder if chosen is None else self.folder / chosen

    @property
    def home(self) -> Path | None:
        """The user's home, which is never a project."""
        home = self.environ.get("HOME")
        return Path(home) if home else None

    def place(self) -> Place:
        """Find the project; raises NotFound `project_not_found`."""
        return find_project(self.project_folder, self.home)


@dataclass(frozen=True, slots=True)
class Desk:
    """An opened store and who works at it; `told` says whether the agent must learn its name.

    `listener` names the memory of what this session was told of (gitmail.mail.announced).
    """

    store: Store
    caller: Caller
    presence: Presence
    told: bool
    ending: ExitStack
    listener: str = field(default_factory=lambda: _NO_SESSION + new_id())

    def rename(self, name: str) -> Desk:
        """Return the desk as one that speaks for the agent `name`, and attach under it."""
        self.ending.enter_context(self.presence.attached(name))
        if not self.listener.startswith(_NO_SESSION):
            with suppress(OSError):  # a store that cannot be written: nothing to resume later
                Sessions(self.store.private).bind(self.listener, name)
        begin_listening(self.store, name, self.listener)
        return replace(self, caller=replace(self.caller, name=name), told=False)

    def close(self) -> None:
        """Detach the agent and close the store."""
        self.ending.close()


def open_desk(start: Start) -> Desk:
    """Find the project, open its store, decide whom to speak for, and attach.

    Raises NotFound `project_not_found` and `store_not_found`, InvalidInput `invalid_agent`, and
    what open_store raises.
    """
    place = start.place()
    wish = wish_of(start.agent, start.environ, place.project.config, start.host)
    with ExitStack() as ending:
        store = open_store(place)
        ending.callback(store.close)
        presence = Presence(store.private)

        def registered() -> list[str]:
            return store.read(lambda view: agent_names(view.index))

        sessions = Sessions(store.private)
        identity = take_identity(wish, sessions, presence, registered, ending.enter_context)
        presence.acted(identity.name, datetime.now(UTC))
        caller = _caller(identity, place.project, start.environ)
        listener = wish.session or _NO_SESSION + new_id()
        begin_listening(store, caller.name, listener)
        return Desk(store, caller, presence, identity.told, ending.pop_all(), listener)


def _caller(identity: Identity, project: Project, environ: Mapping[str, str]) -> Caller:
    programs = (name for variable, name in _PROGRAMS.items() if environ.get(variable))
    return Caller(
        name=identity.name,
        id=new_id(),
        program=next(programs, None),
        project=project_name(project),
    )


def project_name(project: Project) -> str:
    """Return what a project is called: the folder of its main checkout, whatever worktree it is."""
    folder = project.common_dir
    return folder.parent.name if folder.name == ".git" else folder.name.removesuffix(".git")
