import unittest
from datetime import UTC, datetime, timedelta

from tides.curve import OutsideTable, height_at, time_of
from tides.water import Water

START = datetime(2026, 3, 20, 6, 0, tzinfo=UTC)
LOW = Water(START, 1.0, "L")
HIGH = Water(START + timedelta(hours=6), 5.0, "H")


class Curve(unittest.TestCase):
    def test_the_table_itself_is_met(self):
        self.assertEqual(height_at([LOW, HIGH], LOW.time), 1.0)
        self.assertEqual(height_at([LOW, HIGH], HIGH.time), 5.0)

    def test_half_way_in_time_is_half_way_in_height(self):
        self.assertAlmostEqual(height_at([LOW, HIGH], START + timedelta(hours=3)), 3.0)

    def test_the_first_twelfth_is_slow(self):
        self.assertLess(height_at([LOW, HIGH], START + timedelta(hours=1)), 1.0 + 4.0 / 12)

    def test_the_curve_is_never_continued_beyond_the_table(self):
        for instant in (START - timedelta(minutes=1), HIGH.time + timedelta(minutes=1)):
            with self.subTest(instant=instant), self.assertRaises(OutsideTable):
                height_at([LOW, HIGH], instant)

    def test_an_empty_table_has_no_heights(self):
        with self.assertRaises(OutsideTable):
            height_at([], START)

    def test_time_and_height_are_each_others_inverse(self):
        for height in (1.0, 1.7, 3.0, 4.9, 5.0):
            with self.subTest(height=height):
                instant = time_of(LOW, HIGH, height)
                self.assertAlmostEqual(height_at([LOW, HIGH], instant), height, places=6)
