"""The sample project is real: it runs, it is tested, and the letters about it tell the truth."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gitmail.demo.sample import CORRESPONDENCE, copy_sample, sample_folder, sample_script

EVENING_LOW = ["height", "penrock", "2026-03-20T17:55"]
CROSSING = ["windows", "penrock", "--charted", "1.7", "--day", "2026-03-20", "--draught"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    copy_sample(tmp_path / "tides")
    return tmp_path / "tides"


def letter(name: str) -> str:
    (step,) = [step for step in sample_script().steps if step.save == name]
    return str(step.arguments["text"])


def tides(project: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "tides", *arguments]
    return subprocess.run(command, cwd=project, check=True, capture_output=True, text=True).stdout


def apply_the_patch(project: Path) -> None:
    patch = letter("diagnosis").split("```diff\n")[1].split("```")[0]
    subprocess.run(["git", "apply", "-"], cwd=project, input=patch, text=True, check=True)


def indented(text: str) -> str:
    lines = [line[4:] for line in text.splitlines() if line.startswith("    2026")]
    return "".join(f"{line}\n" for line in lines)


def test_the_sample_projects_own_tests_pass(project: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "unittest"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Ran 0" not in done.stderr


def test_a_copy_is_the_project_without_its_correspondence(project: Path) -> None:
    there = {path.relative_to(sample_folder()).as_posix() for path in sample_folder().rglob("*.py")}
    copied = {path.relative_to(project).as_posix() for path in project.rglob("*.py")}
    assert copied == there
    assert not (project / CORRESPONDENCE).exists()
    assert not list(project.rglob("__pycache__"))


def test_the_readme_shows_what_the_program_says(project: Path) -> None:
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert tides(project, "height", "penrock", "2026-03-21T09:30") in readme
    day = ["--day", "2026-03-21"]
    assert tides(project, "windows", "penrock", "--draught", "1.8", "--charted", "0.4", *day) in (
        readme
    )


def test_the_fault_that_the_letters_find_is_there(project: Path) -> None:
    assert "0.12 m" in tides(project, *EVENING_LOW)
    assert "-0.12 m" not in tides(project, *EVENING_LOW)
    assert tides(project, *CROSSING, "1.8") == indented(letter("finding"))


def test_the_patch_in_the_letter_mends_it(project: Path) -> None:
    apply_the_patch(project)
    assert "-0.12 m" in tides(project, *EVENING_LOW)
    assert tides(project, *CROSSING, "1.8") == indented(letter("diagnosis"))


def test_the_margin_reported_at_the_end_is_the_mended_codes(project: Path) -> None:
    apply_the_patch(project)
    assert tides(project, *CROSSING, "2.0") == indented(letter("ready"))


def test_the_second_minus_is_refused_by_the_first_patch_as_the_review_says(project: Path) -> None:
    apply_the_patch(project)
    table = project / "data" / "penrock.txt"
    text = table.read_text(encoding="utf-8").replace("L -0.12", "L \N{MINUS SIGN}0.12")
    table.write_text(text, encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError):
        tides(project, *EVENING_LOW)
