"""Two names that differ only by case are one name, also for who writes files by hand or pushes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from post_office import GREEN, assert_sound, git

from gitmail.store.edits import adopt_edits
from gitmail.store.store import Store
from gitmail.values.ids import new_id
from gitmail.values.paths import agent_path

TWIN = GREEN.upper()


def _write_twin(top: Path) -> Path:
    profile = (top / agent_path(GREEN)).read_text(encoding="utf-8").splitlines()
    renamed = [f"id: {new_id()}" if line.startswith("id:") else line for line in profile]
    file = top / agent_path(TWIN)
    text = "\n".join(renamed).replace(f"name: {GREEN}", f"name: {TWIN}") + "\n"
    file.write_text(text, encoding="utf-8")
    os.utime(file, (1, 1))
    return file


def test_a_profile_written_by_hand_is_set_aside(store: Store, path: Path) -> None:
    twin = _write_twin(path)
    assert adopt_edits(store).set_aside == [agent_path(TWIN)]
    assert not twin.exists()
    assert_sound(path)


def test_a_pushed_profile_is_refused(path: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(path), str(clone)], check=True)
    _write_twin(clone)
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "A twin")
    said = git(clone, "push", check=False)
    assert f"{agent_path(GREEN)} has that name already, in another case" in said
    assert_sound(path)
