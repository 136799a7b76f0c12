"""Every failure gitmail foresees, as one small tree.

    GitmailError                code, message, hint, facts
    ├── InvalidInput            the caller's argument cannot be used as given
    ├── NotFound                well-formed, but nothing here answers to it
    ├── Refused                 understood, and against a rule of the store
    ├── StoreBusy               a bounded wait ran out; trying again later may work
    ├── StoreUnavailable        the store cannot be read or written as it stands
    └── BrokenFile              a file in the tree does not follow docs/format.md

`code` is stable and snake_case (programs compare it), `message` is one sentence that names the
input, `hint` says what to do next, `facts` are further JSON-ready values. The command line and
the MCP server each turn these into their own form in exactly one place.
"""

from __future__ import annotations

from typing import Any


class GitmailError(Exception):
    """A foreseen failure. Nothing was lost and nothing is half done when it is raised."""

    def __init__(self, code: str, message: str, hint: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.facts = facts

    def as_dict(self) -> dict[str, Any]:
        """Return the one JSON shape of a failure: error, message, hint and the facts."""
        shape: dict[str, Any] = {"error": self.code, "message": self.message}
        if self.hint:
            shape["hint"] = self.hint
        return shape | self.facts


class InvalidInput(GitmailError):
    """The caller's argument cannot be used as given."""


class NotFound(GitmailError):
    """A well-formed name, id or path that nothing here answers to."""


class Refused(GitmailError):
    """An understood request that a rule of the store forbids."""


class StoreBusy(GitmailError):
    """A bounded wait for a lock ran out; the same call may work later."""


class StoreUnavailable(GitmailError):
    """The store cannot be read or written as it stands; the message says why."""


class BrokenFile(GitmailError):
    """A file that does not follow docs/format.md: `facts` hold `file` and, if known, `line`."""

    def __init__(self, file: str, problem: str, line: int | None = None) -> None:
        where = file if line is None else f"{file}:{line}"
        facts: dict[str, Any] = {"file": file, "problem": problem}
        if line is not None:
            facts["line"] = line
        super().__init__(
            "broken_file",
            f"{where}: {problem}",
            "Mend the file by hand, or restore it with `gitmail doctor --fix`.",
            **facts,
        )
        self.file = file
        self.problem = problem
        self.line = line
