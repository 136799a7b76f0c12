"""Half surrogate pairs in JSON are mended, and nothing else is touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmail_server.surrogates import mend_surrogates


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        (rb'"a\ud800b"', rb'"a\ufffdb"'),
        (rb'"\uDFFF"', rb'"\ufffd"'),
        (rb'"\ud83d\ud83d\ude00"', rb'"\ufffd\ud83d\ude00"'),
        (rb'"\ude00\ud83d"', rb'"\ufffd\ufffd"'),
        (rb'"\\ud800"', rb'"\\ud800"'),
        (rb'"\\\ud800"', rb'"\\\ufffd"'),
        (rb'"\u00e9\n\""', rb'"\u00e9\n\""'),
        (rb'"\ud8', rb'"\ud8'),
    ],
)
def test_only_half_a_pair_is_replaced(line: bytes, mended: bytes) -> None:
    assert mend_surrogates(line) == mended


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=20))
def test_every_text_comes_through_as_utf_8(text: str) -> None:
    mended = json.loads(mend_surrogates(json.dumps(text).encode()))
    assert mended == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
