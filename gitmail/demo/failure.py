"""The one failure of a demo: something is not as the correspondence says it should be."""

from __future__ import annotations

from typing import Any

from gitmail.errors import GitmailError


class DemoFailed(GitmailError):
    """A step or a final check that failed; `facts` may hold `step`, `say`, `problems`, `log`."""

    def __init__(self, message: str, hint: str = "", **facts: Any) -> None:
        super().__init__("demo_failed", message, hint, **facts)
