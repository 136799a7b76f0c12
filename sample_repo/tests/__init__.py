"""Tests of tides: `python -m unittest`."""
