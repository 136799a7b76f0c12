"""How a note's text and a question become the words that search compares.

The index stems and folds by itself (SQLite's porter and unicode61 tokenizers). This module adds
what these cannot see: the parts of a camelCase name, an id written without its dash, the pairs in
a run of Chinese, Japanese or Korean; and it turns any question into words, so that no character of
it can be a syntax error.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

TERMS_LIMIT = 32
"""Words of a question that count; a pasted page is as good a question as its beginning."""

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being but
    by can could did do does doing for from had has have having he her here his how i if in into
    is it its just may me might more most must my no nor not of off on once only or our out over
    own same she should so some such than that the their them then there these they this those to
    too under until up us very was we were what when where which while who whom why will with
    would you your
    """.split()  # noqa: SIM905
)
"""English words that say nothing about what is asked."""

_CJK = "\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
_LATIN = re.compile(r"[^\W_]+")
_COMPOUND = re.compile(r"[^\W_]+[-_./][^\W_]+")
_JOINT = re.compile(r"[-_./]")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_JOINED_LIMIT = 24


def words(text: str) -> list[str]:
    """Return the words of `text` in order, case-folded: runs of letters and digits.

    A run of Chinese, Japanese or Korean gives its pairs of neighbours, because these languages
    set no space between words; one of a single character gives that.
    """
    found = _WORD.findall(unicodedata.normalize("NFC", text).casefold())
    if text.isascii():
        return found
    return [part for word in found for part in (_pairs(word) if _RUN.match(word) else [word])]


def added_words(text: str) -> str:
    """Return what is indexed beside `text` itself: parts and joined forms, space between.

    `getUserName` adds get, User and Name; `POL-358` adds POL358; a run of Chinese, Japanese or
    Korean adds its pairs of neighbours.
    """
    composed = unicodedata.normalize("NFC", text)
    return " ".join([*_joined(composed), *_camel_parts(composed), *_run_pairs(composed)])


def query_terms(query: str) -> tuple[str, ...]:
    """Return the terms of a question, each once, at most 32; never a quote character among them.

    A chunk with punctuation inside (`POL-358`, `src/auth.py`, `it's`) gives a phrase, its words
    with a space between, and each of them alone. Very common English words are left out unless
    the question holds nothing else. A question without any word gives an empty tuple.
    """
    terms: list[str] = []
    for chunk in query.split():
        parts = words(chunk)
        if len(parts) > 1 and not _RUN.search(chunk):
            terms.append(" ".join(parts))
        terms.extend(parts)
    distinct = dict.fromkeys(terms)
    telling = [term for term in distinct if term not in STOP_WORDS]
    return tuple((telling or list(distinct))[:TERMS_LIMIT])


def _joined(text: str) -> Iterator[str]:
    for compound in _COMPOUND.findall(text):
        if len(compound) <= _JOINED_LIMIT:
            yield _JOINT.sub("", compound)


def _camel_parts(text: str) -> Iterator[str]:
    for word in _LATIN.findall(text):
        if word.islower() or word.isdigit():
            continue
        parts = _CAMEL.findall(word)
        if len(parts) > 1:
            yield from parts


def _run_pairs(text: str) -> Iterator[str]:
    if not text.isascii():
        for run in _RUN.findall(text):
            yield from _pairs(run)


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(max(len(run) - 1, 1))]
