"""What the next reader should know, beside the answer it asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Notice(NamedTuple):
    """A warning: a stable code, a sentence, and facts."""

    code: str
    message: str
    facts: Mapping[str, object] = {}

    def as_dict(self) -> dict[str, object]:
        """Return the JSON shape of a warning."""
        return {"code": self.code, "message": self.message, **self.facts}
