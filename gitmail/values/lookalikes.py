"""Names that read like an authority's, whatever letters they are written with.

A display name is free text, so `maintainer` in Cyrillic letters, `MA1NTAINER` or `the dæmon` would
pass a comparison by spelling. Here a name is reduced to what the eye sees before it is compared
(contract: the board; docs/security.md).
"""

from __future__ import annotations

import re
import unicodedata

AUTHORITIES = ("maintainer", "daemon")

_SEEN_AS = str.maketrans(
    {
        # Cyrillic
        "\u0430": "a", "\u0434": "d", "\u0435": "e", "\u0438": "n", "\u0456": "i", "\u043c": "m",
        "\u043d": "n", "\u043e": "o", "\u043f": "n", "\u0433": "r", "\u0440": "r", "\u0442": "t",
        "\u0455": "s", "\u0501": "d", "\u044f": "r",
        # Greek
        "\u03b1": "a", "\u03b4": "d", "\u03b5": "e", "\u03b7": "n", "\u03b9": "i", "\u03bc": "m",
        "\u03bd": "n", "\u03bf": "o", "\u03c1": "r", "\u03c4": "t", "\u03c0": "n",
        # Armenian, Latin letters without a decomposition, digits and strokes
        "\u057d": "u", "\u0578": "n", "\u0585": "o", "\u0131": "i", "\u0251": "a", "\u00f8": "o",
        "\u00e6": "ae", "0": "o", "1": "i", "3": "e", "4": "a", "7": "t", "l": "i", "|": "i",
        "!": "i", "@": "a",
    }
)  # fmt: skip
_BETWEEN_WORDS = re.compile(r"[^a-z]+")


def reads_as_authority(name: str) -> str | None:
    """Return the authority that `name` reads like (`maintainer` or `daemon`), or None.

    It reads like one when one of its words does, or all of it without what stands between the
    words: "The Maintainer", "m a i n t a i n e r" and "d@emon" do; "maintenance" does not.
    """
    words = [word for word in _BETWEEN_WORDS.split(_skeleton(name)) if word]
    for authority in AUTHORITIES:
        if authority in words or "".join(words) == authority:
            return authority
    return None


def _skeleton(name: str) -> str:
    """Return `name` in plain lower-case letters, each as it looks rather than as it is encoded."""
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    bare = "".join(
        char for char in decomposed if not unicodedata.category(char).startswith(("M", "C"))
    )
    return bare.translate(_SEEN_AS).replace("rn", "m")
