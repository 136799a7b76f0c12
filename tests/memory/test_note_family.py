"""The tools around memory_consolidate, as use cases (contract: memory_consolidate, the family)."""

from __future__ import annotations

from pathlib import Path

import pytest
from note_world import ME, found, join, keep, keep_many, live, refused, retired
from post_office import GREEN, PAT, assert_sound, caller, git

from gitmail.memory.candidates import consolidation_candidates
from gitmail.memory.consolidating import consolidate
from gitmail.memory.forgetting import Selection, forget, reinstate_note
from gitmail.memory.history import get_note
from gitmail.memory.relevant import relevant_notes
from gitmail.memory.searching import recent_notes, search_notes
from gitmail.memory.storing import store_note
from gitmail.store.store import Store
from gitmail.store.undo import undo

SECRET = "The key is AKIA" + "ABCDEFGHIJKLMNOP"


def test_one_argument_stores_a_note_with_a_title_a_number_and_its_author(store: Store) -> None:
    done = store_note(store, ME, "The staging box is haze-02. Ask ops for access.")
    assert (done.stored, done.number, done.title) == (True, 1, "The staging box is haze-02")
    memory = get_note(store, 1).row.memory
    assert (memory.author, memory.source, memory.tags) == ("BlueLake", "note", ())
    assert memory.text == "The staging box is haze-02. Ask ops for access."


def test_a_first_note_registers_its_author_in_the_same_commit(path: Path, store: Store) -> None:
    before = store.main()
    store_note(store, caller("NewLake"), "First words.")
    assert git(path, "rev-list", "--count", f"{before}..main") == "1"
    assert "agents/NewLake.md" in git(path, "show", "--name-only", "--format=", "main")


def test_the_exact_text_of_a_live_note_is_not_stored_again(path: Path, store: Store) -> None:
    keep(store, "One.")
    before = store.main()
    again = store_note(store, caller("NewLake"), "One.", tags=["other"])
    assert (again.stored, again.number, again.commit) == (False, 1, None)
    assert store.main() == before
    join(store, "Two.", [1])
    assert store_note(store, ME, "One.").stored  # a retired twin is no duplicate


def test_look_alikes_are_shown_and_nothing_is_merged_or_dropped(store: Store) -> None:
    keep(store, "The staging box is haze-02, ask ops.", "Lunch is at noon.")
    done = store_note(store, ME, "Staging box: haze-02 (ask ops).")
    assert [one.row.memory.number for one in done.similar] == [1]
    assert done.similar[0].likeness > 0.8
    assert len(live(store)) == 3


@pytest.mark.parametrize("field", ["text", "source", "title"])
def test_a_credential_is_refused_wherever_it_stands(store: Store, field: str) -> None:
    fields = {"text": "Words.", field: SECRET}
    error = refused(store, "secret_like", lambda: store_note(store, ME, **fields))
    assert error.facts["field"] == field
    assert SECRET not in error.message


def test_numbers_go_on_above_everything_that_ever_was(store: Store) -> None:
    keep(store, "One.", "Two.")
    gone = forget(store, ME, Selection(entry_ids=[2]))
    assert keep(store, "Three.") == [3]
    undo(store, PAT, gone.commit or "")
    assert keep(store, "Four.") == [4]
    store.index_view.discard()
    assert keep(store, "Five.") == [5]


@pytest.mark.parametrize(
    "query",
    ["POL-358", "it's", "a:b", "foo(", '"', "NEAR(", "会议", "*", "", " ", "\ud800", "x" * 5000],
)
def test_any_text_is_a_valid_query(store: Store, query: str) -> None:
    keep(store, 'It\'s about POL-358: a:b, foo(bar) and 会议记录 "quoted" *.')
    search_notes(store, query)
    if 0 < len(query) < 10 and query.strip() and query.isprintable() and "NEAR" not in query:
        assert found(store, query) == [1]


def test_filters_need_all_tags_and_one_of_the_sources(store: Store) -> None:
    keep(store, "Red alpha.", tags=["A", "b"])
    keep(store, "Red beta.", tags=["a"], source="review")
    assert found(store, "red", tags=["a"]) != []
    assert found(store, "red", tags=["a", "B"]) == [1]
    assert found(store, "red", sources=["review", "none"]) == [2]
    assert [hit.row.memory.number for hit in recent_notes(store, 5, tags=["a"])] == [2, 1]


def test_retired_notes_are_found_on_request_with_what_replaced_them(store: Store) -> None:
    keep(store, "The port is 80.")
    join(store, "The port is 8080.", [1])
    assert found(store, "port") == [2]
    hits = search_notes(store, "port", include_superseded=True)
    old = next(hit for hit in hits if hit.row.memory.number == 1)
    assert old.replaced_by is not None
    assert old.replaced_by.memory.number == 2


def test_a_note_shows_its_life_with_commits_and_both_ends_of_a_replacement(
    path: Path, store: Store
) -> None:
    ids = keep(store, "One.", "Two.")
    done = join(store, "Both.", ids)
    both, one = get_note(store, 3), get_note(store, 1)
    assert [linked.number for linked in both.supersedes] == [1, 2]
    assert [(event.what, event.commit) for event in both.events] == [("consolidated", done.commit)]
    assert one.superseded_by is not None
    assert one.superseded_by.number == 3
    assert [event.what for event in one.events] == ["created", "superseded"]
    assert one.events[1].commit == done.commit
    before = [get_note(store, number).events for number in (1, 2, 3)]
    store.index_view.discard()
    assert [get_note(store, number).events for number in (1, 2, 3)] == before


def test_a_note_that_is_not_there_says_whether_it_ever_was(store: Store) -> None:
    keep(store, "One.")
    forget(store, ME, Selection(entry_ids=[1]))
    error = refused(store, "memory_not_found", lambda: get_note(store, 1))
    assert error.facts["forgotten"] is True
    assert (
        refused(store, "memory_not_found", lambda: get_note(store, 2)).facts["forgotten"] is False
    )
    refused(store, "invalid_entry_id", lambda: get_note(store, 0))


def test_forgetting_takes_what_matches_every_filter_live_and_retired(
    path: Path, store: Store
) -> None:
    keep(store, "Red one.", "Blue one.", "Red two.", tags=["x"])
    keep(store, "Red three.")
    join(store, "Green one.", [3])
    gone = forget(store, ME, Selection(substring="Red", tag="X"))
    assert [row.memory.number for row in gone.rows] == [1, 3]
    assert git(path, "log", "-1", "--format=%s", "main") == "memory: BlueLake forgot #1 #3"
    assert set(live(store) | retired(store)) == {2, 4, 5}
    assert forget(store, ME, Selection(text="Nothing.")).commit is None
    refused(store, "filter_required", lambda: forget(store, ME, Selection()))
    refused(store, "filter_required", lambda: forget(store, ME, Selection(substring="")))
    assert_sound(path)


def test_more_than_twenty_are_forgotten_only_when_confirmed(store: Store) -> None:
    keep_many(store, 21)
    asked = forget(store, ME, Selection(substring="of many"))
    assert (asked.confirm_bulk_required, len(asked.rows), asked.commit) == (True, 21, None)
    assert len(live(store)) == 21
    done = forget(store, ME, Selection(substring="of many"), confirm_bulk=True)
    assert (len(done.rows), live(store)) == (21, {})
    undo(store, PAT, done.commit or "")
    assert len(live(store)) == 21


def test_a_retired_note_can_be_live_again(path: Path, store: Store) -> None:
    keep(store, "One.")
    join(store, "Two.", [1])
    done = reinstate_note(store, ME, 1)
    assert (done.reinstated, done.row.live) == (True, True)
    assert live(store) == {1: "One.", 2: "Two."}
    assert reinstate_note(store, ME, 1).commit is None
    refused(store, "memory_not_found", lambda: reinstate_note(store, ME, 9))
    assert_sound(path)


def test_every_member_offered_is_one_that_consolidation_accepts(store: Store) -> None:
    keep(
        store,
        "The staging box is haze-02, ask ops for access.",
        "Staging box is haze-02; ask ops for access.",
        "Ask ops for access to the staging box haze-02.",
        "Lunch is at noon.",
    )
    join(store, "The lunch is served at twelve.", [4])
    (cluster,) = consolidation_candidates(store)
    assert [row.memory.number for row in cluster.members] == [1, 2, 3]
    assert consolidation_candidates(store, query="haze-02") == (cluster,)
    assert consolidation_candidates(store, query="lunch") == ()
    assert consolidation_candidates(store, tags=["none"]) == ()
    ids = [row.memory.number for row in cluster.members]
    assert consolidate(store, ME, "Staging: haze-02.", entry_ids=ids).memory.number == 6
    assert consolidation_candidates(store) == ()


def test_bounds_of_searches_and_candidates_are_checked(store: Store) -> None:
    refused(store, "invalid_top_k", lambda: search_notes(store, "x", top_k=0))
    refused(store, "invalid_n", lambda: recent_notes(store, 101))
    refused(store, "invalid_min_cohesion", lambda: consolidation_candidates(store, min_cohesion=2))
    refused(store, "invalid_max_clusters", lambda: consolidation_candidates(store, max_clusters=0))


def test_who_begins_gets_what_answers_first_and_the_newest_after(store: Store) -> None:
    assert store.read(lambda view: relevant_notes(view, "staging", 3)) == []
    keep(store, "Staging is haze-02.", "Lunch is at noon.", "The gate code is on the wall.")
    rows = store.read(lambda view: relevant_notes(view, "deploy to staging", 2))
    assert [row.memory.number for row in rows] == [1, 3]


def test_another_author_may_replace_a_note(path: Path, store: Store) -> None:
    keep(store, "One.")
    done = consolidate(store, caller(GREEN), "Two.", entry_ids=[1])
    assert done.memory.author == GREEN
    assert git(path, "log", "-1", "--format=%an", "main") == GREEN
