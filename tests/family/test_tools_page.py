"""docs/tools.md is what the server offers."""

from __future__ import annotations

from server_desk import REPOSITORY

from gitmail_server.listing import reference


def test_the_page_of_the_tools_is_current() -> None:
    """After a change that is meant: python -m gitmail_server.listing > docs/tools.md."""
    page = REPOSITORY / "docs" / "tools.md"
    assert page.read_text(encoding="utf-8") == reference()
