"""The table of clauses and tests names only tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path(__file__).parents[2]
TABLE = (TOP / "docs" / "contract-tests.md").read_text(encoding="utf-8")


def test_every_test_that_the_table_names_exists() -> None:
    there: set[str] = set()
    for file in (TOP / "tests").rglob("test_*.py"):
        there.update(re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8")))
    named = set(re.findall(r"`(test_\w+)`", TABLE))
    assert named
    assert named - there == set()


def test_every_file_that_the_table_names_exists() -> None:
    named = set(re.findall(r"\b\w+/test_\w+\.py", TABLE))
    assert named
    assert {file for file in named if not (TOP / "tests" / file).is_file()} == set()
