"""`python -m gitmail.demo [--into PATH] [--json]`, the same as `gitmail demo`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from gitmail.demo.report import reporter_for
from gitmail.demo.run import run_demo

DESCRIPTION = "Three agents play a real correspondence in a fresh copy of a sample project."


def main() -> int:
    """Read the arguments, run the demo on standard output, and return the exit code."""
    parser = argparse.ArgumentParser(prog="gitmail demo", description=DESCRIPTION)
    parser.add_argument("--into", type=Path, metavar="PATH", help="an absent or empty folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    options = parser.parse_args()
    return run_demo(options.into, reporter_for(sys.stdout, options.json), os.environ)


if __name__ == "__main__":
    sys.exit(main())
