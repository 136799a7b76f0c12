import unittest
from datetime import UTC, datetime, timedelta

from tides.curve import height_at
from tides.water import Water
from tides.windows import needed_height, windows

START = datetime(2026, 3, 20, 0, 0, tzinfo=UTC)
WATERS = [
    Water(START + timedelta(hours=6 * turn), 1.0 if turn % 2 else 5.0, "L" if turn % 2 else "H")
    for turn in range(5)
]


class Windows(unittest.TestCase):
    def test_each_high_water_opens_one(self):
        self.assertEqual(len(windows(WATERS, 3.0)), 3)

    def test_the_boat_floats_in_every_minute_of_a_window(self):
        for window in windows(WATERS, 2.5):
            for instant in (window.opens, window.closes):
                self.assertGreaterEqual(height_at(WATERS, instant), 2.5)

    def test_a_low_water_that_is_deep_enough_does_not_close_the_window(self):
        (only,) = windows(WATERS, 1.0)
        self.assertEqual((only.opens, only.closes), (WATERS[0].time, WATERS[-1].time))

    def test_a_boat_too_deep_for_the_springs_stays_in(self):
        self.assertEqual(windows(WATERS, 5.5), [])

    def test_the_chart_carries_part_of_the_draught(self):
        self.assertAlmostEqual(needed_height(1.8, 0.4), 1.4)
