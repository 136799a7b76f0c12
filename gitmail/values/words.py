"""The words fresh names are made of: an adjective and a place, both easy to read aloud."""

from __future__ import annotations

_ADJECTIVES = """
Amber Azure Blue Bold Brave Bright Bronze Calm Clear Clever Coral Cosy Crimson Crisp Dapper
Dusky Eager Early Fair Fleet Fresh Gentle Glad Golden Grand Green Happy Hazel Honest Indigo
Ivory Jade Jolly Keen Kind Lemon Lilac Lively Lucky Lunar Merry Mild Misty Noble Olive Orange
Patient Pearl Plum Polite Proud Purple Quick Quiet Red Rosy Royal Ruby Rustic Scarlet Silver
Snowy Spring Steady Sunny Swift Teal Tidy Violet Warm White Wise Witty Yellow
"""
ADJECTIVES: tuple[str, ...] = tuple(_ADJECTIVES.split())

_NOUNS = """
Acorn Bay Beach Birch Bridge Brook Canyon Castle Cedar Cliff Cloud Cottage Cove Creek Delta
Dune Falls Fern Field Fjord Ford Forest Fountain Garden Glacier Glade Glen Grove Harbor Haven
Heath Hill Hollow Island Isle Lagoon Lake Lantern Lighthouse Maple Marsh Meadow Mesa Mill Moon
Moor Mountain Oak Oasis Orchard Peak Pine Plateau Pond Prairie Reef Ridge River Shore Spruce
Stone Stream Summit Tower Valley Village Vista Waterfall Willow Wood
"""
NOUNS: tuple[str, ...] = tuple(_NOUNS.split())
