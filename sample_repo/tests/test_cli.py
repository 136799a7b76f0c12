import io
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from tides.cli import main

DATA = str(Path(__file__).parent.parent / "data")


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["--almanac", DATA, *arguments])
    return code, out.getvalue(), err.getvalue()


class CommandLine(unittest.TestCase):
    def test_the_height_of_a_high_water_is_the_tables(self):
        code, out, _ = run("height", "penrock", "2026-03-20T11:44")
        self.assertEqual((code, out), (0, "penrock  2026-03-20 11:44 UTC   5.38 m\n"))

    def test_a_zone_is_understood(self):
        _, out, _ = run("height", "penrock", "2026-03-20T12:44+01:00")
        self.assertIn("11:44 UTC   5.38 m", out)

    def test_windows_of_one_day_are_cut_at_midnight(self):
        _, out, _ = run(
            "windows", "penrock", "--draught", "1.8", "--charted", "0.4", "--day", "2026-03-21"
        )
        self.assertEqual(
            out.splitlines(),
            [
                "2026-03-21 00:00 to 04:14",
                "2026-03-21 08:20 to 16:33",
                "2026-03-21 20:44 to 23:59",
            ],
        )

    def test_an_instant_outside_the_table_is_one_sentence(self):
        code, out, err = run("height", "penrock", "2027-01-01T00:00")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, "tides: 2027-01-01 00:00 is outside the table\n")
