"""The family against a plain model: any order of calls, kept and rebuilt indexes, one answer."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from note_world import ME, live, refused, retired
from post_office import PAT, assert_sound, make_store, opened

from gitmail.errors import GitmailError
from gitmail.memory.consolidating import consolidate, supersede
from gitmail.memory.forgetting import Selection, forget, reinstate_note
from gitmail.memory.searching import search_notes
from gitmail.memory.storing import store_note
from gitmail.store.store import Store
from gitmail.store.undo import undo

TEXTS = st.sampled_from(["alpha", "alpha ", "Alpha", "beta", "gamma delta", "é", "e\u0301"])
NUMBERS = st.integers(1, 12)
CALLS = st.one_of(
    st.tuples(st.just("store"), TEXTS),
    st.tuples(st.just("consolidate"), TEXTS, st.lists(NUMBERS, min_size=1, max_size=4)),
    st.tuples(st.just("replace"), TEXTS, st.lists(TEXTS, min_size=1, max_size=3)),
    st.tuples(st.just("supersede"), TEXTS, NUMBERS),
    st.tuples(st.just("forget"), st.lists(NUMBERS, min_size=1, max_size=2)),
    st.tuples(st.just("reinstate"), NUMBERS),
    st.tuples(st.just("undo"), st.integers(0, 5)),
    st.tuples(st.just("rebuild")),
)


@dataclass
class Model:
    """What the store should hold: live and retired texts, and every commit's effect."""

    live: dict[int, str] = field(default_factory=dict)
    retired: dict[int, tuple[str, int]] = field(default_factory=dict)
    newest: int = 0
    commits: list[tuple[str, dict[int, Any], dict[int, Any]]] = field(default_factory=list)

    def state(self) -> dict[int, Any]:
        return {**self.live, **self.retired}

    def targets(self, selectors: list[Any]) -> list[int] | str:
        """Return what is meant, or the code of the first bad one."""
        meant: list[int] = []
        first: str | None = None
        for one in dict.fromkeys(selectors):
            bad, number = self._target(one)
            first = first or bad
            meant += [number] if number is not None and number not in meant else []
        return first or meant

    def _target(self, one: Any) -> tuple[str | None, int | None]:
        if isinstance(one, int):
            alive = [one] if one in self.live else []
            gone = one in self.retired
        else:
            alive = [number for number, text in self.live.items() if text == one]
            gone = any(text == one for text, _ in self.retired.values())
        if len(alive) == 1:
            return None, alive[0]
        if alive:
            return "ambiguous_target", None
        return ("target_superseded" if gone else "target_not_found"), None

    def replace(self, text: str, meant: list[int]) -> int:
        self.newest += 1
        for number in meant:
            self.retired[number] = (self.live.pop(number), self.newest)
        self.live[self.newest] = text
        return self.newest


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("model") / "store")


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(calls=st.lists(CALLS, max_size=14))
def test_any_order_of_calls_leaves_what_the_model_says(
    template: Path, calls: list[tuple[Any, ...]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store")
        shutil.copytree(template, path, symlinks=True)
        model = Model()
        with opened(path, durable=False) as store:
            for call in calls:
                _play(store, model, *call)
                assert live(store) == model.live
                assert retired(store) == {n: text for n, (text, _) in model.retired.items()}
            found = {hit.row.memory.number for hit in search_notes(store, "alpha", top_k=100)}
            assert found == {n for n, text in model.live.items() if "alpha" in text.casefold()}
        assert_sound(path, fsck=False)


def _play(store: Store, model: Model, what: str, *args: Any) -> None:
    before = model.state()
    if what == "rebuild":
        store.index_view.discard()
    elif what == "undo":
        _undo(store, model, args[0])
    else:
        commit = _PLAYS[what](store, model, *args)
        if commit is not None:
            model.commits.append((commit, before, model.state()))


def _store(store: Store, model: Model, text: str) -> str | None:
    done = store_note(store, ME, text)
    twins = [number for number, known in model.live.items() if known == text]
    assert done.stored == (not twins)
    if twins:
        assert done.number == min(twins)
    else:
        assert done.number == model.replace(text, [])
    return done.commit


def _replacing(
    store: Store, model: Model, text: str, selectors: list[Any], call: Any
) -> str | None:
    meant = model.targets(selectors)
    if isinstance(meant, str):
        refused(store, meant, call)
        return None
    done = call()
    assert [memory.number for memory in done.superseded] == meant
    assert done.memory.number == model.replace(text, list(meant))
    return str(done.commit)


def _consolidate(store: Store, model: Model, text: str, ids: list[int]) -> str | None:
    call = lambda: consolidate(store, ME, text, entry_ids=ids)  # noqa: E731
    return _replacing(store, model, text, ids, call)


def _replace(store: Store, model: Model, text: str, texts: list[str]) -> str | None:
    call = lambda: consolidate(store, ME, text, replaces=texts)  # noqa: E731
    return _replacing(store, model, text, texts, call)


def _supersede(store: Store, model: Model, text: str, number: int) -> str | None:
    call = lambda: supersede(store, ME, text, entry_id=number)  # noqa: E731
    return _replacing(store, model, text, [number], call)


def _forget(store: Store, model: Model, ids: list[int]) -> str | None:
    done = forget(store, ME, Selection(entry_ids=ids))
    there = {number for number in ids if number in model.state()}
    assert {row.memory.number for row in done.rows} == there
    for number in there:
        model.live.pop(number, None)
        model.retired.pop(number, None)
    return done.commit


def _reinstate(store: Store, model: Model, number: int) -> str | None:
    if number not in model.state():
        with pytest.raises(GitmailError, match=r"does not exist|was removed"):
            reinstate_note(store, ME, number)
        return None
    done = reinstate_note(store, ME, number)
    assert done.reinstated == (number in model.retired)
    if done.reinstated:
        model.live[number] = model.retired.pop(number)[0]
    return done.commit


def _undo(store: Store, model: Model, back: int) -> None:
    """Take back one of the latest calls; only what none of its notes changed since can be."""
    if back >= len(model.commits):
        return
    commit, was, became = model.commits[-1 - back]
    touched = {n for n in was.keys() | became.keys() if was.get(n) != became.get(n)}
    now = model.state()
    if not _undone(store, commit):
        changed = any(now.get(n) != became.get(n) for n in touched)
        assert changed or _came_back(model, back, touched)
        return
    assert all(now.get(n) == became.get(n) for n in touched)
    for number in touched:
        model.live.pop(number, None)
        model.retired.pop(number, None)
        old = was.get(number)
        if isinstance(old, str):
            model.live[number] = old
        elif old is not None:
            model.retired[number] = old
    model.commits.append((store.main(), now, model.state()))


def _undone(store: Store, commit: str) -> bool:
    try:
        undo(store, PAT, commit)
    except GitmailError as error:
        if error.code != "cannot_undo":
            raise
        return False
    return True


def _came_back(model: Model, back: int, touched: set[int]) -> bool:
    """A note that went and came again looks the same here, but its marks tell another time."""
    later = model.commits[len(model.commits) - back :]
    return any(was.get(n) != now.get(n) for _, was, now in later for n in touched)


_PLAYS = {
    "store": _store,
    "consolidate": _consolidate,
    "replace": _replace,
    "supersede": _supersede,
    "forget": _forget,
    "reinstate": _reinstate,
}
