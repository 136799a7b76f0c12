"""Pages of a mailbox while letters arrive: none is skipped, none of a page comes twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from post_office import BLUE, GREEN, PAT, RED, Forge, caller, git, opened, post

from gitmail.errors import InvalidInput
from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.history import history
from gitmail.mail.receive import receive
from gitmail.store.store import Store
from gitmail.store.undo import undo


def lose_index(path: Path) -> None:
    for file in (path / ".git/gitmail").glob("index*"):
        file.unlink()


def second_store(path: Path) -> Path:
    """Clone a store so that gitmail can write in it, as a second machine would have it."""
    other = path.parent / "other"
    git(path.parent, "clone", "--quiet", "--bare", str(path), str(other / ".git"))
    with opened(other) as store:
        store.private.make()
        store.read(lambda view: view.main)
    return other


def merge_from(path: Path, other: Path) -> None:
    """Bring what the second store has into the first, by a clone, a merge and a push."""
    clone = path.parent / "between"
    if not clone.exists():
        git(path.parent, "clone", "--quiet", str(path), str(clone))
    git(clone, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
    git(clone, "pull", "--quiet", "--no-rebase", "--no-edit", str(other), "main")
    git(clone, "push", "--quiet", "origin", "HEAD:main")


def page_through(store: Store, between: Callable[[int], None], limit: int = 2) -> list[str]:
    seen: list[str] = []
    after = None
    for number in range(40):
        page = receive(store, caller(GREEN), after=after, limit=limit)
        seen += [one.letter.id for one in page.messages]
        after = page.after
        if not page.has_more and number > 5:
            return seen
        between(number)
    raise AssertionError("the pages never end")


def test_letters_that_arrive_while_paging_are_each_seen_once(store: Store, path: Path) -> None:
    sent = [post(store, BLUE, GREEN).letter.id for _ in range(5)]

    def between(number: int) -> None:
        if number < 4:
            sent.append(post(store, RED, GREEN).letter.id)
        if number % 2:
            lose_index(path)

    assert sorted(page_through(store, between)) == sorted(sent)


def test_a_merge_with_older_letters_between_pages_skips_none(store: Store, path: Path) -> None:
    """A second machine's letters arrive late and bear dates before the last page's."""
    other = second_store(path)
    with opened(other) as remote:
        early = [post(remote, RED, GREEN, subject=f"Early {n}").letter.id for n in range(3)]
        sent = [post(store, BLUE, GREEN, subject=f"Here {n}").letter.id for n in range(5)]

        def between(number: int) -> None:
            if number == 1:
                merge_from(path, other)
            if number == 2:
                sent.append(post(store, BLUE, GREEN, subject="Meanwhile").letter.id)
                early.append(post(remote, RED, GREEN, subject="Later there").letter.id)
                lose_index(path)
            if number == 3:
                merge_from(path, other)

        assert sorted(page_through(store, between)) == sorted(sent + early)


def test_writers_in_other_processes_are_never_skipped(
    store: Store, path: Path, forge: Forge
) -> None:
    workers = [
        forge.start("send", path, who=name, to=[GREEN], count=10, pause=0.005)
        for name in (BLUE, RED)
    ]
    seen: list[str] = []
    after = None
    while len(seen) < 20:
        page = receive(store, caller(GREEN), after=after, limit=3)
        seen += [one.letter.id for one in page.messages]
        after = page.after
    for worker in workers:
        assert worker.wait().result is not None
    assert len(set(seen)) == len(seen) == 20
    everything = receive(store, caller(GREEN)).messages
    assert sorted(seen) == sorted(one.letter.id for one in everything)


def test_history_pages_hold_every_letter_once(store: Store, path: Path) -> None:
    sent = [post(store, BLUE, GREEN, RED).letter.id for _ in range(4)]
    sent += [post(store, GREEN, BLUE).letter.id for _ in range(3)]
    seen, after = [], None
    while True:
        page = history(store, caller(BLUE), after=after, limit=2)
        seen += [(one.letter.id, one.row.delivery.recipient) for one in page.messages]
        after = page.after
        lose_index(path)
        if not page.has_more:
            break
    assert len(seen) == len(set(seen)) == 4 * 2 + 3
    assert {letter for letter, _ in seen} == set(sent)


def test_a_cursor_that_knows_more_than_the_store_is_refused(store: Store, path: Path) -> None:
    other = second_store(path)
    with opened(other) as remote:
        post(remote, BLUE, GREEN)
        ahead = receive(remote, caller(GREEN)).after
    with pytest.raises(InvalidInput) as caught:
        receive(store, caller(GREEN), after=ahead)
    assert caught.value.code == "invalid_cursor"
    assert caught.value.facts["detail"] == "cursor_ahead"


def test_a_letter_that_waits_again_is_received_again(store: Store) -> None:
    sent = post(store, BLUE, GREEN, ack_required=True).letter.id
    after = receive(store, caller(GREEN)).after
    acknowledge(store, caller(GREEN), [sent])
    undo(store, PAT, store.main())
    assert [one.letter.id for one in receive(store, caller(GREEN)).messages] == [sent]
    assert receive(store, caller(GREEN), after=after).messages == ()
