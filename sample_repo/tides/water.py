"""One high or low water, the value everything else is made of."""

from dataclasses import dataclass
from datetime import datetime

HIGH = "H"
LOW = "L"


@dataclass(frozen=True, order=True, slots=True)
class Water:
    """A turning point of the tide: `time` in UTC, `height` in metres above chart datum."""

    time: datetime
    height: float
    kind: str

    def line(self) -> str:
        """Return the water as a line of a table."""
        return f"{self.time:%Y-%m-%d %H:%M} {self.kind} {self.height:.2f}"
