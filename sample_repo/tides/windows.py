"""When the water is high enough to cross, rounded to the safe side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from tides.curve import time_of
from tides.water import Water

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Window:
    """A span in which the boat floats: whole minutes, opening late and closing early."""

    opens: datetime
    closes: datetime


def needed_height(draught: float, charted: float) -> float:
    """Return the tide a boat needs: its draught less the charted depth, all in metres."""
    return draught - charted


def windows(waters: Sequence[Water], need: float) -> list[Window]:
    """Return the spans in which the tide is at least `need` metres, in order of time.

    A span that is open where the table begins or ends is cut there.
    """
    found: list[Window] = []
    for opens, closes in _spans(waters, need):
        opens, closes = _up(opens), _down(closes)
        if opens < closes:
            found.append(Window(opens, closes))
    return found


def _spans(waters: Sequence[Water], need: float) -> Iterator[tuple[datetime, datetime]]:
    opened = waters[0].time if waters and waters[0].height >= need else None
    for before, after in pairwise(waters):
        if before.height < need <= after.height:
            opened = time_of(before, after, need)
        elif after.height < need <= before.height and opened is not None:
            yield opened, time_of(before, after, need)
            opened = None
    if opened is not None:
        yield opened, waters[-1].time


def _down(instant: datetime) -> datetime:
    return instant.replace(second=0, microsecond=0)


def _up(instant: datetime) -> datetime:
    whole = _down(instant)
    return whole if whole == instant else whole + _MINUTE
