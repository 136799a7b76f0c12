"""Half a surrogate pair in a client's JSON: the SDK drops such a request, and nobody is answered.

JavaScript hosts write one when they cut a text in the middle of an emoji.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    rb"\\(?:"
    rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a whole pair
    rb"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|.)"
)


def mend_surrogates(line: bytes) -> bytes:
    """Return a line of JSON with each half pair as U+FFFD, the mark for what cannot be read.

    Bytes that are not UTF-8 become the same, so both ways of breaking a text end alike.
    """
    if b"\\u" not in line:
        return line
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], line)
