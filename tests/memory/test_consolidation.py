"""memory_consolidate: the cases that must hold (contract: memory_consolidate)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from note_world import ME, found, join, keep, keep_many, live, refused, retired
from post_office import GREEN, PAT, assert_sound, caller, git

from gitmail.errors import GitmailError
from gitmail.memory.candidates import consolidation_candidates
from gitmail.memory.consolidating import consolidate, supersede
from gitmail.memory.forgetting import reinstate_note
from gitmail.memory.history import get_note
from gitmail.memory.storing import store_note
from gitmail.store.store import Store
from gitmail.store.undo import undo

EMPTY_REFUSAL = {
    "superseded_count": 0,
    "superseded_texts": [],
    "superseded_ids": [],
    "new_memory_stored": False,
}


def test_one_commit_holds_the_new_note_and_every_retired_one(path: Path, store: Store) -> None:
    ids = keep(store, "The box is haze-02.", "Staging is haze-02.", "Use haze-02 for staging.")
    before = store.main()
    done = join(store, "Staging runs on haze-02.", ids, tags=[" Staging ", "staging"])
    assert (done.memory.number, done.memory.supersedes) == (4, (1, 2, 3))
    assert (done.memory.source, done.memory.tags) == ("consolidation", ("staging",))
    assert [memory.text for memory in done.superseded] == [
        "The box is haze-02.",
        "Staging is haze-02.",
        "Use haze-02 for staging.",
    ]
    assert git(path, "rev-list", f"{before}..main") == done.commit
    assert git(path, "log", "-1", "--format=%an|%s", "main") == (
        "BlueLake|memory: BlueLake consolidated #1 #2 #3 into #4"
    )
    assert git(path, "log", "-1", "--format=%(trailers:key=Memory-Id,valueonly)", "main") == "4"
    assert live(store) == {4: "Staging runs on haze-02."}
    one = get_note(store, 1)
    assert one.row.memory.superseded_by == 4
    assert one.row.memory.superseded_at is not None
    assert one.row.path == "memories/superseded/00xx/0001-the-box-is-haze-02.md"
    assert found(store, "haze-02") == [4]
    assert_sound(path)


@pytest.mark.parametrize("ids", [[1, 2, 99], [99, 1, 2], [1, 2, 2**70]])
def test_one_bad_target_of_three_changes_nothing(store: Store, ids: list[int]) -> None:
    keep(store, "One.", "Two.")
    error = refused(store, "target_not_found", lambda: join(store, "All.", ids))
    bad = next(number for number in ids if number > 2)
    assert error.facts["target_errors"] == [{"target": bad, "error": "target_not_found"}]
    assert EMPTY_REFUSAL.items() <= error.facts.items()
    assert error.facts["reason"] == "target_not_found"
    assert live(store) == {1: "One.", 2: "Two."}


def test_all_bad_targets_are_named_and_the_first_gives_the_reason(store: Store) -> None:
    keep(store, "One.", "Two.", "Three.")
    join(store, "Four.", [3])
    error = refused(store, "target_superseded", lambda: join(store, "All.", [1, 3, 99, 2]))
    assert error.facts["target_errors"] == [
        {"target": 3, "error": "target_superseded", "superseded_by": 4},
        {"target": 99, "error": "target_not_found"},
    ]


def test_the_same_target_twice_is_retired_once(store: Store) -> None:
    keep(store, "One.", "Two.")
    assert [one.number for one in join(store, "All.", [2, 1, 2]).superseded] == [2, 1]


@pytest.mark.parametrize("text", ["One. ", " One.", "one.", "One.\n", "On\N{LATIN SMALL LETTER E}"])
def test_a_text_that_is_not_quite_equal_is_not_found(store: Store, text: str) -> None:
    keep(store, "One.")
    refused(store, "target_not_found", lambda: consolidate(store, ME, "New.", replaces=[text]))


def test_a_composed_and_a_decomposed_text_are_two(store: Store) -> None:
    keep(store, "Caf\u00e9")
    refused(
        store, "target_not_found", lambda: consolidate(store, ME, "New.", replaces=["Cafe\u0301"])
    )
    assert consolidate(store, ME, "New.", replaces=["Caf\u00e9"]).memory.supersedes == (1,)


def test_corrections_back_and_forth_never_make_a_text_ambiguous(store: Store) -> None:
    keep(store, "A.")
    for number in range(3):
        supersede(store, ME, "B.", old_text="A.")
        done = supersede(store, ME, "A.", old_text="B.")
        assert done.memory.number == 3 + 2 * number
    assert live(store) == {7: "A."}


def test_a_text_of_several_live_notes_is_ambiguous_with_their_ids(store: Store) -> None:
    keep(store, "One.", "Two.")
    join(store, "Two.", [1])  # equal to a live note that is no target: stored all the same
    error = refused(
        store, "ambiguous_target", lambda: consolidate(store, ME, "New.", replaces=["Two."])
    )
    assert error.facts["target_errors"] == [
        {"target": "Two.", "error": "ambiguous_target", "candidates": [2, 3]}
    ]


@pytest.mark.parametrize(
    ("selectors", "code"),
    [
        ({}, "invalid_selector"),
        ({"entry_ids": [1], "replaces": ["One."]}, "invalid_selector"),
        ({"entry_ids": [True]}, "invalid_selector"),
        ({"entry_ids": ["3"]}, "invalid_selector"),
        ({"entry_ids": [3.0]}, "invalid_selector"),
        ({"entry_ids": [0]}, "invalid_selector"),
        ({"entry_ids": 1}, "invalid_selector"),
        ({"replaces": "One."}, "invalid_selector"),
        ({"entry_ids": []}, "empty_input"),
        ({"replaces": []}, "empty_input"),
    ],
)
def test_a_bad_selector_is_refused_with_the_facts_of_a_refusal(
    store: Store, selectors: dict[str, Any], code: str
) -> None:
    keep(store, "One.")
    error = refused(store, code, lambda: consolidate(store, ME, "New.", **selectors))
    assert EMPTY_REFUSAL.items() <= error.facts.items()
    assert error.facts["target_errors"] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" \n", "empty_input"),
        ("x" * 65_537, "invalid_new_text"),
        ("token ghp_" + "a1B2" * 9, "secret_like"),
    ],
)
def test_a_text_that_cannot_be_kept_replaces_nothing(store: Store, text: str, code: str) -> None:
    keep(store, "One.")
    error = refused(store, code, lambda: join(store, text, [1]))
    assert EMPTY_REFUSAL.items() <= error.facts.items()
    assert error.facts["reason"] == code


def test_a_thousand_notes_are_one_commit(path: Path, store: Store) -> None:
    ids = keep_many(store, 1000)
    before = store.main()
    done = join(store, "All thousand.", ids)
    assert git(path, "rev-list", "--count", f"{before}..main") == "1"
    assert len(done.superseded) == 1000
    assert live(store) == {1001: "All thousand."}
    undo(store, PAT, done.commit or "")
    assert len(live(store)) == 1000
    assert_sound(path)


def test_an_undo_brings_back_everything_at_once_and_no_number_twice(
    path: Path, store: Store
) -> None:
    ids = keep(store, "Alpha is the build host.", "The build host is alpha.")
    candidates = consolidation_candidates(store, min_cohesion=0.3)
    done = join(store, "Builds run on alpha.", ids)
    keep(store, "Lunch is at noon.")
    store_note(store, caller(GREEN), "Tickets rotate weekly.")
    undo(store, PAT, done.commit or "")
    assert {1: "Alpha is the build host.", 2: "The build host is alpha."}.items() <= live(
        store
    ).items()
    assert 3 not in live(store) | retired(store)
    assert sorted(found(store, "alpha")) == [1, 2]
    again = consolidation_candidates(store, min_cohesion=0.3)
    assert [one.members for one in again] == [one.members for one in candidates]
    assert [event.what for event in get_note(store, 1).events] == [
        "created",
        "superseded",
        "reinstated",
    ]
    repeated = join(store, "Builds run on alpha.", ids)
    assert repeated.memory.number == 6
    assert found(store, "alpha") == [6]
    assert_sound(path)


def test_a_revert_in_a_clone_pushed_does_the_same(path: Path, store: Store, tmp_path: Path) -> None:
    ids = keep(store, "Alpha is the build host.", "The build host is alpha.")
    done = join(store, "Builds run on alpha.", ids)
    keep(store, "Later and unrelated.")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(path), str(clone))
    git(clone, "revert", "--no-edit", done.commit or "")
    git(clone, "push", "-q", "origin", "main")
    assert live(store).keys() == {1, 2, 4}
    assert sorted(found(store, "alpha")) == [1, 2]
    assert join(store, "Builds run on alpha.", ids).memory.number == 5
    store.close()
    assert_sound(path)


def test_an_undo_is_refused_where_a_note_has_changed_since(store: Store) -> None:
    ids = keep(store, "One.", "Two.")
    done = join(store, "Both.", ids)
    reinstate_note(store, ME, 1)
    error = refused(store, "cannot_undo", lambda: undo(store, PAT, done.commit or ""))
    assert "0001" in error.message
    assert all("0001" in path for path in error.facts["paths"])


def test_an_undo_sees_an_edit_that_nobody_committed(path: Path, store: Store) -> None:
    ids = keep(store, "One.", "Two.")
    done = join(store, "Both.", ids)
    note = path / get_note(store, 3).row.path
    note.write_bytes(note.read_bytes().replace(b"Both.", b"Both, says Pat."))
    with pytest.raises(GitmailError, match="changed since"):
        undo(store, PAT, done.commit or "")
    assert live(store) == {3: "Both, says Pat."}


def test_a_correction_keeps_tags_and_names_its_source(store: Store) -> None:
    keep(store, "Port 80.", tags=["ports"])
    done = supersede(store, ME, "Port 8080.", entry_id=1)
    assert (done.memory.source, done.memory.tags) == ("correction", ("ports",))
    error = refused(store, "target_superseded", lambda: supersede(store, ME, "x", entry_id=1))
    assert error.facts["target_errors"][0]["superseded_by"] == 2
    refused(store, "invalid_selector", lambda: supersede(store, ME, "x"))
