"""TOON, the Token-Oriented Object Notation, for agents that ask for it (contract: fetch_inbox).

The structured result stays JSON; only the text block is TOON. The encoder is the format's official
one (docs/dependencies.md), imported when the first such result is asked for.
"""

from __future__ import annotations

from typing import Any


def encode_toon(value: Any) -> str:
    """Return JSON-ready `value` (dicts, lists, strings, numbers, booleans, None) as TOON.

    The same value always gives the same text. Strings are quoted and escaped where they could be
    read as anything else, so a letter's text can neither end its field nor begin another.
    """
    from toon_format import encode

    return encode(value)
