"""The sample project that ships with gitmail: where it is, and a fresh copy of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from gitmail.demo.failure import DemoFailed
from gitmail.demo.script import Script, load_script

CORRESPONDENCE = "correspondence.toml"
_NOT_COPIED = shutil.ignore_patterns(CORRESPONDENCE, "__pycache__", "*.pyc", ".*_cache")


def sample_folder() -> Path:
    """Return the sample project: the installed one (`gitmail/_sample_repo`), else the checkout's.

    Raises DemoFailed when neither is there.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_sample_repo", package.parent / "sample_repo"):
        if (folder / CORRESPONDENCE).is_file():
            return folder
    raise DemoFailed(
        f"The sample project is missing beside {package}.",
        "Install gitmail from its wheel, or run from a complete checkout.",
    )


def sample_script() -> Script:
    """Return the correspondence that ships with the sample project."""
    path = sample_folder() / CORRESPONDENCE
    return load_script(path.read_bytes(), str(path))


def copy_sample(target: Path) -> None:
    """Copy the project, without its correspondence, to `target`, which must not exist yet."""
    shutil.copytree(sample_folder(), target, ignore=_NOT_COPIED)
