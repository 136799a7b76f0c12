"""search_messages, fetch_topic, fetch_thread, summarize_thread (contract: the family)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from pydantic import Field

from gitmail.index.rows import LetterRow
from gitmail.index.search import SearchFilter
from gitmail.mail.inbox import MOST
from gitmail.mail.reading import search, thread_page, topic_page
from gitmail.mail.summary import summarize
from gitmail.values.times import parse_time
from gitmail_server.access import check_access
from gitmail_server.projects import check_project
from gitmail_server.session import Session
from gitmail_server.shared_arguments import ProjectArguments
from gitmail_server.tool import Hints, Tool
from gitmail_server.tools import family_words as words

_TIME_CODE = {"since_ts": "invalid_timestamp"}
_SINCE = "ISO 8601; strictly newer letters"
_BODIES = "add body_md; a page holds at most 256 KiB"
_THREAD = "name of the thread, or id of a letter in it"


class SearchArguments(ProjectArguments):
    """The arguments of search_messages; `from` is a word of Python's."""

    codes: ClassVar[Mapping[str, str]] = _TIME_CODE

    query: str = Field(description="words; any text is valid")
    limit: int = Field(20, ge=1, le=MOST)
    agent_name: str | None = Field(None, description="only what this agent sent or received")
    from_: str | None = Field(None, alias="from", description="only from this agent")
    topic: str | None = None
    thread_id: str | None = None
    since_ts: str | None = Field(None, description=_SINCE)
    registration_token: str | None = Field(None, description="when agent_name is not you")


class TopicArguments(ProjectArguments):
    """The arguments of fetch_topic."""

    codes: ClassVar[Mapping[str, str]] = _TIME_CODE

    topic: str
    limit: int = Field(20, ge=1, le=MOST)
    since_ts: str | None = Field(None, description=_SINCE)
    include_bodies: bool = Field(False, description=_BODIES)


class ThreadArguments(ProjectArguments):
    """The arguments of fetch_thread."""

    codes: ClassVar[Mapping[str, str]] = _TIME_CODE

    thread_id: str = Field(description=_THREAD)
    limit: int = Field(100, ge=1, le=MOST)
    since_ts: str | None = Field(None, description=_SINCE)
    include_bodies: bool = Field(False, description=_BODIES)


class SummaryArguments(ProjectArguments):
    """The arguments of summarize_thread."""

    thread_id: str = Field(description=_THREAD)


def _search(session: Session, given: SearchArguments) -> dict[str, Any]:
    since = _time(given.since_ts)
    check_project(session, given.project_key)
    agent = given.agent_name
    if agent is not None:
        agent = check_access(session, agent, given.registration_token) or session.caller.name
    filters = SearchFilter(
        agent=agent,
        sender=given.from_,
        topic=given.topic,
        thread=given.thread_id,
        since=since,
    )
    reader = agent or session.caller.name
    found = search(session.store, reader, given.query, filters, given.limit)
    hits = [words.letter(one.row.letter) | {"snippet": one.snippet} for one in found]
    return {"result": hits}


def _topic(session: Session, given: TopicArguments) -> dict[str, Any]:
    since = _time(given.since_ts)
    check_project(session, given.project_key)
    reader = session.caller.name
    page = topic_page(
        session.store,
        reader,
        given.topic,
        limit=given.limit,
        since=since,
        bodies=given.include_bodies,
    )
    return words.page(page, reader)


def _thread(session: Session, given: ThreadArguments) -> dict[str, Any]:
    since = _time(given.since_ts)
    check_project(session, given.project_key)
    reader = session.caller.name
    page = thread_page(
        session.store,
        reader,
        given.thread_id,
        limit=given.limit,
        since=since,
        bodies=given.include_bodies,
    )
    return words.page(page, reader) | {"thread_id": given.thread_id}


def _summarize(session: Session, given: SummaryArguments) -> dict[str, Any]:
    check_project(session, given.project_key)
    return thread_summary(session, given.thread_id)


def thread_summary(session: Session, thread_id: str) -> dict[str, Any]:
    """Return a thread in short, of its first thousand letters."""
    rows: list[LetterRow] = []
    texts: dict[str, str] = {}
    since: datetime | None = None
    more = True
    while more and len(rows) < MOST:
        page = thread_page(
            session.store, session.caller.name, thread_id, limit=MOST, since=since, bodies=True
        )
        rows += page.letters
        texts |= page.texts
        since, more = page.next_since, page.has_more
    summed = summarize((row.letter, texts[row.letter.id]) for row in rows)
    return {
        "thread_id": thread_id,
        "participants": list(summed.participants),
        "total_messages": summed.letters,
        "first_ts": words.moment(summed.first),
        "last_ts": words.moment(summed.last),
        "open_actions": list(summed.open_items),
        "done_actions": list(summed.done_items),
        "key_points": list(summed.key_points),
        "has_more": more,
    }


def _time(text: str | None) -> datetime | None:
    return None if text is None else parse_time(text, "timestamp")


_LOOKING = Hints(read_only=True, idempotent=True)
_PAGE = words.required(
    "result",
    "has_more",
    result=words.OBJECTS,
    has_more={"type": "boolean"},
    next_since_ts=words.MAYBE,
    thread_id={"type": "string"},
)

SUMMARY_OUTPUT = words.required(
    "thread_id",
    "participants",
    thread_id={"type": "string"},
    participants=words.STRINGS,
    total_messages={"type": "integer"},
    first_ts=words.MAYBE,
    last_ts=words.MAYBE,
    open_actions=words.STRINGS,
    done_actions=words.STRINGS,
    key_points=words.STRINGS,
    has_more={"type": "boolean"},
)

SEARCH = Tool(
    name="search_messages",
    title="Search letters",
    description="Search the project's letters, newest first: all words, else any of them. "
    "Snippets, not texts; fetch_thread has those.",
    arguments=SearchArguments,
    handler=_search,
    output=words.required("result", result=words.OBJECTS),
    hints=_LOOKING,
)

TOPIC = Tool(
    name="fetch_topic",
    title="Letters of a topic",
    description="The letters of a topic, oldest first; go on with since_ts = next_since_ts.",
    arguments=TopicArguments,
    handler=_topic,
    output=_PAGE,
    hints=_LOOKING,
)

THREAD = Tool(
    name="fetch_thread",
    title="Letters of a thread",
    description="The letters of a thread, oldest first; go on with since_ts = next_since_ts.",
    arguments=ThreadArguments,
    handler=_thread,
    output=_PAGE,
    hints=_LOOKING,
)

SUMMARIZE = Tool(
    name="summarize_thread",
    title="A thread in short",
    description="Who takes part in a thread, what is to do and what is done (task lists, TODO: "
    "and DONE: lines), and the lines that stand out. Taken from the texts; no model.",
    arguments=SummaryArguments,
    handler=_summarize,
    output=SUMMARY_OUTPUT,
    hints=_LOOKING,
)
