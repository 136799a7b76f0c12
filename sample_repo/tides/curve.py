"""The height between two waters: half a cosine, as pilots have drawn it for two centuries."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime

from tides.water import Water


class OutsideTable(ValueError):
    """An instant before the first or after the last water of the table."""


def height_at(waters: Sequence[Water], instant: datetime) -> float:
    """Return the height in metres at an instant. `waters` are in order of time.

    Raises OutsideTable: the curve is never continued beyond the table.
    """
    place = bisect_right(waters, instant, key=lambda water: water.time)
    if place == len(waters) and waters and instant == waters[-1].time:
        return waters[-1].height
    if place in (0, len(waters)):
        raise OutsideTable(f"{instant:%Y-%m-%d %H:%M} is outside the table")
    before, after = waters[place - 1], waters[place]
    phase = (instant - before.time) / (after.time - before.time)
    return before.height + (after.height - before.height) * (1 - math.cos(math.pi * phase)) / 2


def time_of(before: Water, after: Water, height: float) -> datetime:
    """Return when the curve between two neighbouring waters passes `height`.

    The height lies between the two; the seconds are exact, rounding is the caller's.
    """
    share = (height - before.height) / (after.height - before.height)
    return before.time + (after.time - before.time) * (math.acos(1 - 2 * share) / math.pi)
