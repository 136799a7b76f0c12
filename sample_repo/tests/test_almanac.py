import tempfile
import unittest
from pathlib import Path

from tides.almanac import Almanac, AlmanacError
from tides.parser import parse

FIRST = parse("2026-03-20 05:34 L 0.18\n2026-03-20 11:44 H 5.38\n")


class Keeping(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.almanac = Almanac(self.folder)

    def test_what_is_added_comes_back(self):
        self.assertEqual(self.almanac.add("penrock", FIRST), 2)
        self.assertEqual(self.almanac.waters("penrock"), FIRST)
        self.assertEqual(self.almanac.stations(), ["penrock"])

    def test_adding_the_same_table_again_adds_nothing(self):
        self.almanac.add("penrock", FIRST)
        self.assertEqual(self.almanac.add("penrock", FIRST), 0)

    def test_a_contradiction_changes_nothing(self):
        self.almanac.add("penrock", FIRST)
        with self.assertRaisesRegex(AlmanacError, "contradiction"):
            self.almanac.add("penrock", parse("2026-03-20 11:44 H 5.83"))
        self.assertEqual(self.almanac.waters("penrock"), FIRST)

    def test_an_unknown_station_names_the_known_ones(self):
        self.almanac.add("penrock", FIRST)
        with self.assertRaisesRegex(AlmanacError, "penrock"):
            self.almanac.waters("portellen")

    def test_a_station_is_a_name_and_never_a_path(self):
        with self.assertRaises(AlmanacError):
            self.almanac.add("../outside", FIRST)
        self.assertEqual(list(self.folder.iterdir()), [])
