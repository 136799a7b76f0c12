import unittest
from datetime import UTC, datetime

from tides.parser import TableError, parse
from tides.water import Water

NOON_HIGH = Water(datetime(2026, 3, 20, 11, 44, tzinfo=UTC), 5.38, "H")


class Parsing(unittest.TestCase):
    def test_offices_draw_their_columns_in_many_ways(self):
        for line in (
            "2026-03-20 11:44 H 5.38",
            "2026-03-20\t11:44\tH\t5.38 m",
            "2026-03-20 | 11:44 | H | 5.38",
            "  2026-03-20 11:44  H  5.38m  ",
        ):
            with self.subTest(line=line):
                self.assertEqual(parse(line), [NOON_HIGH])

    def test_a_whole_number_is_a_height(self):
        self.assertEqual(parse("2026-03-20 11:44 H 5")[0].height, 5.0)

    def test_remarks_and_empty_lines_are_skipped(self):
        self.assertEqual(parse("# Penrock\n\n2026-03-20 11:44 H 5.38\n  # end\n"), [NOON_HIGH])

    def test_waters_come_back_in_order_of_time(self):
        text = "2026-03-20 11:44 H 5.38\n2026-03-20 05:34 L 0.18\n"
        self.assertEqual([water.kind for water in parse(text)], ["L", "H"])

    def test_a_line_that_is_no_water_is_named(self):
        with self.assertRaisesRegex(TableError, "line 2"):
            parse("2026-03-20 11:44 H 5.38\nhigh water about noon\n")

    def test_a_day_that_does_not_exist_is_named(self):
        with self.assertRaisesRegex(TableError, "line 1"):
            parse("2026-02-30 11:44 H 5.38")

    def test_two_highs_in_a_row_mean_that_a_water_is_missing(self):
        with self.assertRaisesRegex(TableError, "in a row"):
            parse("2026-03-20 11:44 H 5.38\n2026-03-21 00:05 H 5.47\n")

    def test_a_water_is_written_as_it_was_read(self):
        self.assertEqual(parse(NOON_HIGH.line()), [NOON_HIGH])
