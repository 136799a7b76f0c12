"""Servers to talk to with the SDK's own client: in memory, and as real processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import jsonschema
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from gitmail.board.agents import register
from gitmail.board.caller import Caller
from gitmail.board.presence import Presence
from gitmail.git.commits import Person
from gitmail.store.create import create_store
from gitmail.store.store import Store, system_clock
from gitmail.values.ids import new_id
from gitmail_server.app import GitmailServer
from gitmail_server.desk import Desk
from gitmail_server.session import Session
from gitmail_server.toolsets import tools_of

PAT = Person("Pat Person", "pat@example.com")
BLUE, GREEN, RED = "BlueLake", "GreenCastle", "RedHill"
ERAS = ("auto", "legacy")
REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Project:
    """A code project under git with a store in it."""

    path: Path

    @property
    def store(self) -> Path:
        return self.path / ".git" / "gitmail"

    def open(self) -> Store:
        return Store(self.store, PAT, durable=False)

    def limits(self, **limits: int) -> None:
        """Set limits of gitmail.toml as a person does: in a clone, pushed."""
        clone = self.path.parent / "settings-clone"
        git(self.path.parent, "clone", "-q", str(self.store), str(clone))
        file = clone / "gitmail.toml"
        text = file.read_text()
        for key, limit in limits.items():
            text, found = re.subn(f"# {key} = \\d+\n", f"{key} = {limit}\n", text)
            assert found == 1
        file.write_text(text)
        git(clone, "commit", "-qam", "settings")
        git(clone, "push", "-q", "origin", "main")

    def commits(self) -> int:
        return int(git(self.store, "rev-list", "--count", "main"))


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *args], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def make_project(path: Path, agents: Sequence[str] = (BLUE, GREEN, RED)) -> Project:
    path.mkdir()
    git(path, "init", "-q")
    project = Project(path)
    create_store(project.store, "shop", PAT, ["PatPerson"], sys.executable, system_clock)
    with project.open() as store:
        for name in agents:
            register(store, name)
    return project


class Result(dict[str, Any]):
    """A structured result; `error` is its code, None for a success; `text` the text block."""

    error: str | None = None
    text: str = ""


@dataclass
class Voice:
    """One client; every result is held against the tool's published schema."""

    client: Client
    schemas: dict[str, Mapping[str, Any]]

    async def __call__(self, tool: str, /, **arguments: Any) -> Result:
        answer = await self.client.call_tool(tool, arguments)
        structured = answer.structured_content
        assert isinstance(structured, dict)
        result = Result(structured)
        result.text = "".join(getattr(part, "text", "") for part in answer.content)
        if answer.is_error:
            result.error = structured["error"]
            assert structured["message"].endswith((".", "?")), structured["message"]
        else:
            jsonschema.validate(structured, self.schemas[tool])
            jsonschema.validate(structured, tools_of("full")[tool].output)
            assert isinstance(structured["waiting"], int)
        return result


@asynccontextmanager
async def voice(target: Any, era: str = "auto") -> AsyncIterator[Voice]:
    async with Client(target, mode=era) as client:
        tools = (await client.list_tools()).tools
        yield Voice(client, {tool.name: tool.output_schema or {} for tool in tools})


@asynccontextmanager
async def speaker(
    project: Project, name: str, era: str = "auto", told: bool = False
) -> AsyncIterator[Voice]:
    """An agent with a server of its own in this process, attached as a process would be."""
    with ExitStack() as ending:
        store = ending.enter_context(project.open())
        presence = Presence(store.private)
        ending.enter_context(presence.attached(name))
        desk = Desk(store, Caller(name, new_id()), presence, told, ExitStack())
        session = Session(lambda: desk)
        ending.callback(session.close)
        ending.callback(session.stops.stop_all)
        async with voice(GitmailServer(session, tools_of("full")), era) as one:
            yield one


def talk(
    project: Project, play: Callable[..., Awaitable[None]], *names: str, era: str = "auto"
) -> None:
    """Run `play` with a voice for each of the names."""

    async def main() -> None:
        async with AsyncVoices(project, names, era) as voices:
            await play(*voices)

    anyio.run(main)


class AsyncVoices:
    """Several speakers, entered in order."""

    def __init__(self, project: Project, names: Sequence[str], era: str) -> None:
        self._speakers = [speaker(project, name, era) for name in names]

    async def __aenter__(self) -> list[Voice]:
        return [await one.__aenter__() for one in self._speakers]

    async def __aexit__(self, *failure: Any) -> None:
        for one in reversed(self._speakers):
            await one.__aexit__(None, None, None)


# -- real processes ----------------------------------------------------------------------------


def environment(**more: str) -> dict[str, str]:
    paths = [str(REPOSITORY), str(REPOSITORY / "server"), str(REPOSITORY / "hooks")]
    return dict(os.environ) | {"PYTHONPATH": os.pathsep.join(paths)} | more


def serve_command(*options: str) -> list[str]:
    return [sys.executable, "-m", "gitmail", "serve", *options]


@asynccontextmanager
async def process(
    folder: Path, *options: str, era: str = "auto", **variables: str
) -> AsyncIterator[Voice]:
    """A `gitmail serve` process in `folder` and a client that speaks to it."""
    command = serve_command(*options)
    server = StdioServerParameters(
        command=command[0], args=command[1:], cwd=folder, env=environment(**variables)
    )
    async with voice(stdio_client(server), era) as one:
        yield one
