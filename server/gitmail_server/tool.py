"""What a tool is: its description for agents, its argument model, its result schema, one function.

One module of `tools/` per family, one `Tool` per tool; `toolsets.py` lists them all. A tool only
translates: the handler turns checked arguments into a call of a use case and its answer into the
contract's words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

if TYPE_CHECKING:
    from gitmail_server.session import Session


class Arguments(BaseModel):
    """The base of every argument model: strict types, unknown names refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    codes: ClassVar[Mapping[str, str]] = {}
    """The error code of a bad value, by argument; `invalid_<argument>` for those not named."""

    @classmethod
    def accepted(cls) -> dict[str, FieldInfo]:
        """Return the arguments by the names under which they are published."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}


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
    """A tool's result, and how its text block is written when that is not simply its JSON."""

    content: dict[str, Any]
    encode: Callable[[dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """One tool. `handler` runs in a worker thread; foreseen failures are GitmailErrors.

    `output` is the JSON schema of a successful result, without the keys that every result may
    carry (waiting, parked, you, warnings), which the server adds. `waits` says that a call may
    take long because it waits for something, `needs_store` is false for one that may make it.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    handler: Callable[[Session, A], dict[str, Any] | Answer]
    output: dict[str, Any]
    hints: Hints = field(default_factory=Hints)
    waits: bool = False
    needs_store: bool = True
