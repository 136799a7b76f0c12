"""Words as the full-text tables hold them: any text is a query, none is a syntax error.

FTS5 takes a run of Chinese or Japanese for one word. In letters each such character is a word of
its own, in what is stored and in what is asked for, so that neighbours are found as a phrase;
notes hold them in pairs (gitmail.values.search_terms), which costs more and ranks better.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

WORDS_LIMIT = 48
"""So many words of a query count; the rest is left out."""

_IDEOGRAPH = "([\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])"
_SPACE = re.compile(r"\s+")
_EDGES = "\"'()[]{}<>.,;:!?*"


def letter_words(text: str) -> str:
    """Return a letter's subject or text as it goes into the full-text table."""
    plain = text.replace("\x00", " ")
    return plain if plain.isascii() else _ideograph().sub(r" \1 ", plain)


@cache
def _ideograph() -> re.Pattern[str]:
    """Compile on first need: most texts are ASCII."""
    return re.compile(_IDEOGRAPH)


def note_words(title: str, text: str, tags: str) -> tuple[str, str, str, str]:
    """Return a note's title, text, tags and added words as they go into the full-text table."""
    from gitmail.values.search_terms import added_words  # a letter needs none of it

    plain = text.replace("\x00", " ")
    return title, plain, tags, added_words(f"{title} {plain}")


def query_words(query: str) -> list[str]:
    """Return the words of a query that can be looked up, as written, each once.

    A word with inner punctuation (`POL-358`, `it's`, `a:b`) stays one: it is looked up as a phrase.
    """
    words = dict.fromkeys(query.replace("\x00", " ").split())
    return [word for word in words if any(map(str.isalnum, word))][:WORDS_LIMIT]


def match_all(words: Iterable[str]) -> str:
    """Return the FTS5 expression for texts that hold every one of `words`."""
    return " AND ".join(map(_phrase, words))


def match_any(words: Iterable[str]) -> str:
    """Return the FTS5 expression for texts that hold at least one of `words`."""
    return " OR ".join(map(_phrase, words))


def _phrase(word: str) -> str:
    quoted = letter_words(word).replace('"', '""')
    return f'"{quoted}"'


def snippet(text: str, words: Iterable[str], width: int = 160) -> str:
    """Return about `width` characters of `text` around the first of `words`, on one line.

    `…` marks where something was left out.
    """
    folded = text.lower()
    if len(folded) != len(text):
        folded = text
    found = [folded.find(word.strip(_EDGES).lower()) for word in words]
    hit = min((place for place in found if place >= 0), default=0)
    start = max(0, hit - width // 4)
    if start:
        start = text.find(" ", start, hit) + 1 or start
    line = _SPACE.sub(" ", text[start : start + width]).strip()
    return ("…" if start else "") + line + ("…" if start + width < len(text) else "")
