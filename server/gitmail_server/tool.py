"""What a tool is: its description for agents, its argument model, its result schema, one function.

One module of `tools/` per family, one `Tool` per tool; `toolsets.py` lists them all. A tool only
translates: the handler turns checked arguments into a call of a use case and its answer into the
contract's words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from gitmail_server.session import Session


class Arguments(BaseModel):
    """The base of every argument model: strict types, unknown names refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Hints:
    """The protocol's tool annotations."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's result: the structured object, and a text block when it is not simply its JSON."""

    content: dict[str, Any]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """One tool. `handler` runs in a worker thread; foreseen failures are GitmailErrors.

    `output` is the JSON schema of a successful result, without the keys that every result may
    carry (waiting, parked, warnings), which the server adds.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    handler: Callable[[Session, A], dict[str, Any] | Answer]
    output: dict[str, Any]
    hints: Hints = field(default_factory=Hints)
    defaults_elsewhere: dict[str, Any] = field(default_factory=dict)
