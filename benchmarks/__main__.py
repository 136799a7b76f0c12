"""`python -m benchmarks [--large] [--quick] [--only PART …]`: measure and print tables."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.memories import memories
from benchmarks.others import Figure, fan_out, rebuild, start_up, through_server, writers
from benchmarks.reads import reads
from benchmarks.sends import Row, measure_sends
from benchmarks.waking import waking
from gitmail.git.environment import strip_process_environment
from gitmail.git.process import git_version, run

PARTS = (
    "sends",
    "startup",
    "rebuild",
    "fanout",
    "writers",
    "server",
    "waking",
    "memories",
    "reads",
)


def main() -> None:
    """Run the parts asked for in a throw-away folder with a home of its own."""
    options = _options()
    strip_process_environment(os.environ)
    with tempfile.TemporaryDirectory(prefix="gitmail-bench-") as name:
        folder = Path(name)
        os.environ.update(HOME=name, XDG_CONFIG_HOME=f"{name}/.config")
        _print_machine()
        if "sends" in options.only:
            sizes = [100, 1_000, 10_000] + ([100_000] if options.large else [])
            rows = measure_sends(folder, sizes, 12 if options.quick else 60, _progress)
            _print_sends(rows)
        figures: list[Figure] = []
        for part, act in _parts(folder, options.quick, options.large).items():
            if part in options.only:
                _progress(part)
                figures += act()
        _print_figures(figures)


def _parts(folder: Path, quick: bool, large: bool) -> dict[str, Callable[[], list[Figure]]]:
    def project(name: str) -> Path:
        path = folder / name
        path.mkdir()
        run(["init", "-q", str(path)], git_dir=None, cwd=folder)
        return path

    def server() -> list[Figure]:
        path = project("server")
        start_up(path, runs=1)
        (path / ".git" / "gitmail" / "gitmail.toml").write_text(
            'format = 1\nname = "bench"\n[limits]\nrequests_per_minute = 0\n'
            "pending_per_mailbox = 0\n",
            encoding="utf-8",
        )
        return through_server(path, 15 if quick else 60)

    return {
        "startup": lambda: start_up(project("startup"), 5 if quick else 15),
        "rebuild": lambda: [rebuild(folder, 1_000 if quick else 10_000)],
        "fanout": lambda: fan_out(folder),
        "writers": lambda: writers(folder, 1 if quick else 5),
        "server": server,
        "waking": lambda: waking(project("waking"), letters=15 if quick else 60),
        "memories": lambda: memories(folder, 10 if quick else 60),
        "reads": lambda: reads(folder, 100_000 if large else 10_000, 10 if quick else 60),
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--large", action="store_true", help="also a store of 100,000 letters")
    parser.add_argument("--quick", action="store_true", help="few rounds: does it run at all")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts to run")
    return parser.parse_args()


def _print_machine() -> None:
    versions = f"Python {platform.python_version()}, git {'.'.join(map(str, git_version()))}"
    print(f"{os.cpu_count()} cores, {versions}, SQLite {sqlite3.sqlite_version}\n")


def _print_sends(rows: list[Row]) -> None:
    base = next(row for row in rows if row.way == "gitmail")
    plain = next(row for row in rows if row.way == "git add + git commit")
    print("| way | letters | median | p95 | against gitmail at 100 | against git at 100 |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row.way} | {row.letters:,} | {row.median:.1f} ms | {row.p95:.1f} ms "
            f"| {row.median / base.median:.2f} × | {row.median / plain.median:.2f} × |"
        )
    print()


def _print_figures(figures: list[Figure]) -> None:
    if figures:
        print("| what | measured | bound |\n|---|---|---|")
        for figure in figures:
            print(f"| {figure.what} | {figure.value} | {figure.bound} |")


def _progress(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
