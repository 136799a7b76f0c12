"""What is wrong inside a header, before the file's name is known."""

from __future__ import annotations

HeaderValue = str | list[str] | dict[str, str]


class HeaderProblem(ValueError):
    """A header that breaks docs/format.md: `problem` is half a sentence, `line` counts from 1.

    Line 1 is the header's first line, the one after the opening fence.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"line {line}: {problem}")
        self.problem = problem
        self.line = line
