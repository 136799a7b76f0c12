"""gitmail.toml as it is in force: the file on disk, else the last committed one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from gitmail.errors import BrokenFile, StoreUnavailable
from gitmail.format.config import StoreConfig, config_from_bytes, default_config_text
from gitmail.git.objects import ObjectReader
from gitmail.git.trees import read_path
from gitmail.values.paths import CONFIG


def load_settings(
    store: Path,
    reader: ObjectReader,
    commits: Iterable[Callable[[], str | None]],
    broken: Callable[[str], None],
) -> StoreConfig:
    """Return the settings of a store; `broken` is told when the file on disk cannot be used.

    `commits` name where to look for a committed one, in order: main may have been forced.
    """
    try:
        return config_from_bytes((store / CONFIG).read_bytes())
    except (FileNotFoundError, BrokenFile) as error:
        trouble = error if isinstance(error, BrokenFile) else f"{CONFIG} is missing"
        broken(f"{trouble}; the last committed gitmail.toml is in force")
    for commit in commits:
        with suppress(StoreUnavailable, BrokenFile):
            entry = read_path(reader, reader.commit(commit() or "").tree, CONFIG)
            if entry is not None:
                return config_from_bytes(reader.blob(entry.sha))
    return config_from_bytes(default_config_text("store").encode())
