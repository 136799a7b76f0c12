"""Tide tables: how high is the water, and when may the boat cross the bar?"""

__version__ = "0.3.0"
