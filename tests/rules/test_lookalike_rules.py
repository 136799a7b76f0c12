"""Display names that read like an authority's."""

from __future__ import annotations

import pytest

from gitmail.values.lookalikes import reads_as_authority


@pytest.mark.parametrize(
    ("name", "authority"),
    [
        ("maintainer", "maintainer"),
        ("MAINTAINER", "maintainer"),
        ("The Maintainer", "maintainer"),
        ("maintainer (verified)", "maintainer"),
        ("m.a.i.n.t.a.i.n.e.r", "maintainer"),
        ("ma1nta1ner", "maintainer"),
        ("rnaintainer", "maintainer"),
        ("m\u0430int\u0430in\u0435r", "maintainer"),
        ("\u041c\u0410INTAIN\u0415R", "maintainer"),
        ("\uff4d\uff41\uff49\uff4e\uff54\uff41\uff49\uff4e\uff45\uff52", "maintainer"),
        ("m\u00e1int\u00e4iner", "maintainer"),
        ("main\u200btainer", "maintainer"),
        ("daemon", "daemon"),
        ("daem0n", "daemon"),
        ("d\u00e6mon", "daemon"),
        ("d\u03b1em\u03bfn", "daemon"),
        ("gitmail-daemon", "daemon"),
        ("BlueLake", None),
        ("maintenance crew", None),
        ("main trainer", None),
        ("daemons and dragons", None),
        ("", None),
        ("\u65e5\u672c\u8a9e", None),
    ],
)
def test_a_name_is_read_as_the_eye_reads_it(name: str, authority: str | None) -> None:
    assert reads_as_authority(name) == authority
