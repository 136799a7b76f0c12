"""Letters of the whole project for one reader: a thread, a topic, a search, one letter.

Everybody in a project may read its letters; a blind copy is nobody's business but its sender's and
its recipient's. So a letter is shown without the copies that the reader may not know of, and not
at all when it went to blind recipients only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from gitmail.errors import InvalidInput, NotFound
from gitmail.index.letters import letter, thread, thread_of, topic
from gitmail.index.rows import LetterRow, Place
from gitmail.index.search import SearchFilter, search_letters
from gitmail.mail.inbox import MOST, PAGE_BYTES
from gitmail.mail.opened import open_letter
from gitmail.mail.references import find_letter_id
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.names import fold

_LAST = "~"
"""Sorts behind every id."""


@dataclass(frozen=True, slots=True)
class Page:
    """Letters oldest first, with texts by id where asked for; `next_since` continues the page."""

    letters: tuple[LetterRow, ...]
    texts: dict[str, str]
    has_more: bool
    next_since: datetime | None


@dataclass(frozen=True, slots=True)
class Found:
    """A letter that a search found, and the part of it that answers."""

    row: LetterRow
    snippet: str


def check_limit(limit: int, default: int) -> None:
    """Raise InvalidInput `invalid_limit` for a limit outside 1..1000."""
    if not 1 <= limit <= MOST:
        raise InvalidInput(
            "invalid_limit",
            f"limit {limit} is not within 1..{MOST}.",
            f"Leave it out for {default}.",
            argument="limit",
        )


def thread_page(
    store: Store,
    reader: str,
    thread_id: str,
    *,
    limit: int = 100,
    since: datetime | None = None,
    bodies: bool = False,
) -> Page:
    """Return a thread, oldest first, by its name or by the id (or prefix) of a letter in it.

    A reply whose parent has not arrived stands in its place. Raises NotFound `thread_not_found`.
    """
    check_limit(limit, 100)

    def ask(view: View) -> Page:
        name = _thread_name(view, thread_id)
        return _page(view, reader, limit, bodies, _rows_of(thread, view, name, since, limit))

    return store.read(ask)


def topic_page(
    store: Store,
    reader: str,
    name: str,
    *,
    limit: int = 20,
    since: datetime | None = None,
    bodies: bool = False,
) -> Page:
    """Return the letters of a topic, in any spelling of case, oldest first; none is no error."""
    check_limit(limit, 20)

    def ask(view: View) -> Page:
        return _page(view, reader, limit, bodies, _rows_of(topic, view, name, since, limit))

    return store.read(ask)


def search(
    store: Store, reader: str, query: str, filters: SearchFilter, limit: int = 20
) -> list[Found]:
    """Return letters that answer `query`, as gitmail.index.search says; any text is a query.

    Raises InvalidInput `invalid_query` for a blank one, `invalid_limit`.
    """
    check_limit(limit, 20)
    if not query.strip():
        raise InvalidInput(
            "invalid_query", "query is blank.", "Give a word to look for.", argument="query"
        )

    def ask(view: View) -> list[Found]:
        hits = search_letters(view.index, query, filters, limit)
        shown = ((visible(hit.letter, reader), hit.snippet) for hit in hits)
        return [Found(row, snippet) for row, snippet in shown if row is not None]

    return store.read(ask)


def one_letter(store: Store, reader: str, message_id: str) -> tuple[LetterRow, str]:
    """Return a letter and its text; raises NotFound `message_not_found`, `invalid_message_id`."""

    def ask(view: View) -> tuple[LetterRow, str]:
        row = letter(view.index, find_letter_id(view, message_id))
        shown = None if row is None else visible(row, reader)
        if shown is None:
            raise NotFound(
                "message_not_found",
                f"There is no letter {message_id[:40]!r}.",
                "fetch_inbox lists letters with their ids.",
                message_id=message_id[:40],
            )
        return shown, open_letter(view, shown.deliveries[0]).text

    return store.read(ask)


def visible(row: LetterRow, reader: str) -> LetterRow | None:
    """Return the letter with the copies that `reader` may know of; None when there are none.

    The reader's own copy comes first.
    """
    mine = fold(reader)
    if fold(row.letter.sender) == mine:
        return row
    copies = [
        copy
        for copy in row.deliveries
        if copy.letter.kind != "bcc" or fold(copy.delivery.recipient) == mine
    ]
    if not copies:
        return None
    copies.sort(key=lambda copy: fold(copy.delivery.recipient) != mine)
    shown = min(copies, key=lambda copy: copy.letter.kind == "bcc")
    return row._replace(letter=shown.letter, deliveries=tuple(copies))


def _thread_name(view: View, text: str) -> str:
    if thread(view.index, text, limit=1):
        return text
    try:
        letter_id = find_letter_id(view, text, "thread_id")
    except (InvalidInput, NotFound) as error:
        raise NotFound(
            "thread_not_found",
            f"There is no thread {text[:80]!r}.",
            "A thread is named in thread_id of its letters, or by the id of its first letter.",
            thread_id=text[:80],
        ) from error
    return thread_of(view.index, letter_id) or letter_id


_Question = Callable[..., list[LetterRow]]


def _rows_of(
    question: _Question, view: View, name: str, since: datetime | None, limit: int
) -> Sequence[LetterRow]:
    after = None if since is None else Place(since, _LAST)
    return question(view.index, name, after=after, limit=limit + 1)


def _page(view: View, reader: str, limit: int, bodies: bool, rows: Sequence[LetterRow]) -> Page:
    """Cut to `limit`, and to what fits a page; letters that are not shown count for the limit."""
    chosen = list(rows[:limit])
    texts: dict[str, str] = {}
    if bodies:
        chosen = _with_texts(view, chosen, texts)
    has_more = len(chosen) < len(rows)
    newest = chosen[-1].letter.date if chosen else None
    shown = _visible(chosen, reader)
    kept = {row.letter.id: texts[row.letter.id] for row in shown if row.letter.id in texts}
    return Page(tuple(shown), kept, has_more, newest)


def _visible(rows: Iterable[LetterRow], reader: str) -> list[LetterRow]:
    found = (visible(row, reader) for row in rows)
    return [row for row in found if row is not None]


def _with_texts(view: View, rows: list[LetterRow], texts: dict[str, str]) -> list[LetterRow]:
    size = 0
    for number, row in enumerate(rows):
        text = open_letter(view, row.deliveries[0]).text
        size += len(text.encode())
        if number and size > PAGE_BYTES:
            return rows[:number]
        texts[row.letter.id] = text
    return rows
