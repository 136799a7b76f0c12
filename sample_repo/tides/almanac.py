"""The almanac: a folder with one table per station."""

import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tides.parser import parse
from tides.water import Water

_STATION = re.compile(r"[a-z][a-z0-9-]{0,39}")


class AlmanacError(Exception):
    """A station that cannot be found, named or merged; the message says which."""


class Almanac:
    """Tables in `folder`, one `STATION.txt` each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def stations(self) -> list[str]:
        """Return the stations' names in order."""
        return sorted(path.stem for path in self._folder.glob("*.txt"))

    def waters(self, station: str) -> list[Water]:
        """Return a station's waters in order of time. Raises AlmanacError if there are none."""
        path = self._path(station)
        if not path.exists():
            known = ", ".join(self.stations()) or "none yet"
            raise AlmanacError(f"no table for {station!r}; there is: {known}")
        return parse(path.read_text(encoding="utf-8"))

    def add(self, station: str, waters: Iterable[Water]) -> int:
        """Merge waters into a station's table and return how many were new.

        Raises AlmanacError when a water contradicts the table (same time, other height): a
        correction is made by hand, never by whichever file happened to come last.
        """
        path = self._path(station)
        kept = {water.time: water for water in self.waters(station)} if path.exists() else {}
        before = len(kept)
        for water in waters:
            if kept.setdefault(water.time, water) != water:
                raise AlmanacError(f"contradiction: {kept[water.time].line()} / {water.line()}")
        self._write(path, sorted(kept.values()))
        return len(kept) - before

    def _path(self, station: str) -> Path:
        if not _STATION.fullmatch(station):
            raise AlmanacError(f"not a station's name: {station!r} (like penrock or port-ellen)")
        return self._folder / f"{station}.txt"

    def _write(self, path: Path, waters: Iterable[Water]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=".new-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(f"{water.line()}\n" for water in waters)
        Path(name).replace(path)
