"""People with plain git: reading in the store's top folder, writing through a clone and a push."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from post_office import (
    BLUE,
    GREEN,
    PAT,
    RED,
    Forge,
    assert_sound,
    caller,
    files_on_disk,
    git,
    main_of,
    make_store,
    opened,
    post,
)

from gitmail.errors import Refused
from gitmail.mail.acknowledge import acknowledge
from gitmail.mail.inbox import waiting
from gitmail.store.hook_stubs import write_hooks
from gitmail.store.store import Store
from gitmail.store.undo import undo
from gitmail.values.paths import agent_path, inbox_path


def _correspond(path: Path) -> Path:
    """Leave one waiting and one acknowledged letter, and clone the store beside itself."""
    with opened(path) as store:
        post(store, BLUE, GREEN, subject="Waiting", ack_required=True)
        done = post(store, BLUE, GREEN, RED, subject="Handled", ack_required=True)
        acknowledge(store, caller(GREEN), [done.letter.id])
    git(path.parent, "clone", "--quiet", str(path), "clone")
    return path.parent / "clone"


@pytest.fixture
def clone(path: Path) -> Path:
    """A clone of a store that holds one waiting and one acknowledged letter."""
    return _correspond(path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Such a store for tests that leave it as it was."""
    path = make_store(tmp_path_factory.mktemp("shared") / "store")
    _correspond(path)
    return path


@pytest.fixture
def shared_clone(shared: Path) -> Path:
    """Its clone, as it was cloned."""
    place = shared.parent / "clone"
    git(place, "reset", "--quiet", "--hard", "origin/main")
    git(place, "clean", "--quiet", "-ffdx")
    return place


def letter_in(place: Path, owner: str = GREEN, folder: str = "inbox") -> Path:
    return next((place / "mail" / owner / folder).rglob("2*.md"))


def commit(place: Path, message: str = "by hand", author: str | None = None) -> None:
    git(place, "add", "--all")
    who = [f"--author={author} <someone@example.com>"] if author else []
    git(place, "commit", "--quiet", "--allow-empty", "-m", message, *who)


def push(place: Path, *args: str, **options: object) -> str:
    """Push and return what git said, whether it was refused or not."""
    return git(place, "push", *(args or ("origin", "HEAD:main")), check=False, **options)


def objects_of(path: Path) -> set[str]:
    return {str(file) for file in (path / ".git/objects").rglob("*") if file.is_file()}


# -- reading -----------------------------------------------------------------------------------


READING = (
    ("log", "--oneline"),
    ("log", "--format=%s", "--", "mail/GreenCastle"),
    ("log", "--format=%s", "--author=BlueLake"),
    ("show", "main:agents/BlueLake.md"),
    ("blame", "main", "--", "agents/BlueLake.md"),
    ("grep", "BlueLake", "main"),
    ("diff", "--stat", "main~1", "main"),
    ("shortlog", "-sn", "main"),
    ("rev-list", "--count", "main"),
    ("ls-tree", "-r", "--name-only", "main"),
)


@pytest.mark.parametrize("form", READING, ids=lambda form: form[0])
def test_plain_git_answers_at_the_top_folder(shared: Path, form: tuple[str, ...]) -> None:
    assert git(shared, *form)


def test_the_life_of_a_letter_is_in_its_log(shared: Path) -> None:
    letter = letter_in(shared, GREEN, "archive")
    told = git(shared, "log", "--format=%s", "--follow", "--", str(letter.relative_to(shared)))
    assert told.splitlines() == [
        "ack: GreenCastle acknowledged: Handled",
        "mail: BlueLake -> GreenCastle, RedHill: Handled",
    ]
    who = git(shared, "log", "--format=%an <%ae>, %cn", "-1")
    assert who == "GreenCastle <greencastle@gitmail.invalid>, Pat Person"


REFUSED = (
    ("add", "README.md"),
    ("commit", "--allow-empty", "-m", "by hand"),
    ("checkout", "main"),
    ("stash",),
    ("reset", "--hard"),
    ("rebase", "main~1"),
    ("merge", "main"),
    ("clean", "-ffdx"),
    ("rm", "README.md"),
    ("worktree", "add", "--detach", "../other"),
)


@pytest.mark.parametrize("form", REFUSED, ids=lambda form: form[0])
def test_what_needs_a_work_tree_is_refused_and_changes_nothing(
    shared: Path, form: tuple[str, ...]
) -> None:
    before = (main_of(shared), files_on_disk(shared))
    done = subprocess.run(["git", "-C", str(shared), *form], capture_output=True, check=False)
    assert done.returncode != 0
    assert (main_of(shared), files_on_disk(shared)) == before


# -- pushing -----------------------------------------------------------------------------------


def test_a_pushed_note_is_on_disk_and_in_answers_at_once(
    clone: Path, path: Path, store: Store
) -> None:
    note = clone / agent_path(RED)
    note.write_text(note.read_text() + "Pushed.\n", encoding="utf-8")
    commit(clone)
    said = push(clone)
    assert "main -> main" in said or "HEAD -> main" in said
    assert (path / agent_path(RED)).read_text().endswith("Pushed.\n")
    assert store.tree.marker() == main_of(path)
    assert_sound(path)


def test_a_push_whose_last_hook_never_ran_is_followed_by_the_next_reader(
    clone: Path, path: Path, store: Store
) -> None:
    (path / ".git/hooks/post-receive").unlink()
    note = clone / agent_path(RED)
    note.write_text(note.read_text() + "Pushed.\n", encoding="utf-8")
    commit(clone)
    push(clone)
    assert not (path / agent_path(RED)).read_text().endswith("Pushed.\n")
    assert store.read(lambda view: view.main) == main_of(path)
    assert (path / agent_path(RED)).read_text().endswith("Pushed.\n")
    assert_sound(path)


def test_a_revert_of_an_acknowledgement_makes_the_letter_wait_again(
    clone: Path, path: Path, store: Store
) -> None:
    assert waiting(store, GREEN).waiting_count == 1
    git(clone, "revert", "--no-edit", "HEAD")
    push(clone)
    assert waiting(store, GREEN).waiting_count == 2
    assert_sound(path)


def test_writers_hold_back_while_a_push_is_checked_but_not_for_long(
    store: Store, path: Path, shared: Path, shared_clone: Path
) -> None:
    (path / ".git/gitmail/push").touch()  # as a hook that died leaves it
    begin = time.monotonic()
    post(store, BLUE, GREEN)
    assert time.monotonic() - begin > 0.5
    post(store, BLUE, GREEN)
    _tamper(shared_clone)
    commit(shared_clone)
    push(shared_clone)
    assert not (shared / ".git/gitmail/push").exists(), "a refused push is over"


def test_a_clone_merges_and_pushes_while_a_process_writes(
    clone: Path, path: Path, forge: Forge
) -> None:
    writer = forge.start("send", path, who=BLUE, to=[RED], count=6, pause=0.5)
    git(clone, "revert", "--no-edit", "HEAD")  # an acknowledgement
    note = clone / agent_path(RED)
    note.write_text(note.read_text() + "From a clone.\n", encoding="utf-8")
    commit(clone)
    for _ in range(3):
        git(clone, "pull", "--quiet", "--no-rebase", "--no-edit")
        if "main" in (said := push(clone)) and "rejected" not in said:
            break
    else:
        pytest.fail(f"three rounds were not enough: {said}")
    assert "From a clone." in (path / agent_path(RED)).read_text()
    assert writer.wait().result is not None
    with opened(path) as store:
        assert waiting(store, RED).waiting_count == 7
        assert waiting(store, GREEN).waiting_count == 2
    assert_sound(path)


def _tamper(place: Path) -> None:
    letter = letter_in(place)
    letter.write_text(letter.read_text().replace("Some words.", "Other words."), encoding="utf-8")


def _rename(place: Path) -> None:
    letter = letter_in(place)
    letter.rename(letter.with_name(letter.name.replace("waiting", "renamed")))


def _drop(place: Path) -> None:
    letter_in(place).unlink()


def _break_header(place: Path) -> None:
    note = place / agent_path(BLUE)
    note.write_text(note.read_text().replace("id:", "id"), encoding="utf-8")


def _duplicate_key(place: Path) -> None:
    note = place / agent_path(BLUE)
    note.write_text(note.read_text().replace("name: ", "name: Evil\nname: "), encoding="utf-8")


def _unknown_path(place: Path) -> None:
    (place / "notes.txt").write_text("hello\n", encoding="utf-8")


def _symlink(place: Path) -> None:
    (place / "agents/Evil.md").symlink_to("/etc/passwd")


def _exec_bit(place: Path) -> None:
    (place / agent_path(BLUE)).chmod(0o755)


def _submodule(place: Path) -> None:
    entry = f"160000,{git(place, 'rev-parse', 'HEAD')},agents/Sub.md"
    git(place, "update-index", "--add", "--cacheinfo", entry)
    git(place, "commit", "--quiet", "-m", "a submodule")


def _forged_letter(place: Path) -> None:
    letter = letter_in(place)
    text = letter.read_text().replace("Some words.", "Forged.")
    old = next(line[4:] for line in text.splitlines() if line.startswith("id: ")).strip('"')
    fresh = "f" * 8 + old[8:]
    target = letter.with_name(letter.name.replace(old[:8], "f" * 8))
    target.write_text(text.replace(old, fresh), encoding="utf-8")


def _dated_ahead(place: Path) -> None:
    letter = letter_in(place)
    text = letter.read_text().replace("from: BlueLake", "from: PatPerson")
    old = next(line[4:] for line in text.splitlines() if line.startswith("id: ")).strip('"')
    text = re.sub("date: [0-9]{4}", "date: 2099", text).replace(old, "e" * 8 + old[8:])
    name = letter.name.replace(old[:8], "e" * 8)
    letter.with_name("2099" + name[4:]).write_text(text, encoding="utf-8")


def _marked_by_another(place: Path) -> None:
    letter = letter_in(place, RED)
    head, _, text = letter.read_text().partition("\n---\n")
    mark = "first_read_at: 2026-11-30T20:01:02.123456+00:00"
    letter.write_text(f"{head}\n{mark}\n---\n{text}", encoding="utf-8")


def _garbage_beside_a_letter(place: Path) -> None:
    """A good new letter in inbox/ and rubbish of the same name in archive/."""
    letter = letter_in(place)
    day = f"{letter.name[:4]}/{letter.name[4:6]}/{letter.name[6:8]}"
    _forged_letter(place)
    good = next(file for file in letter.parent.iterdir() if "ffffffff" in file.name)
    good.write_text(good.read_text().replace("from: BlueLake", "from: PatPerson"))
    bad = place / "mail" / GREEN / "archive" / day / good.name
    bad.parent.mkdir(parents=True, exist_ok=True)
    bad.write_text("no header at all\n", encoding="utf-8")


def _agent_with_letters_gone(place: Path) -> None:
    (place / agent_path(GREEN)).unlink()


def _settings_gone(place: Path) -> None:
    (place / "gitmail.toml").unlink()


def _settings_broken(place: Path) -> None:
    (place / "gitmail.toml").write_text("format = [\n", encoding="utf-8")


def _program_to_run(place: Path) -> None:
    settings = place / "gitmail.toml"
    text = settings.read_text(encoding="utf-8")
    text = text.replace("[wake]", '[wake]\ncommand = ["rm", "-rf", "home"]')
    settings.write_text(text, encoding="utf-8")


BAD: dict[str, tuple[Callable[[Path], None], str]] = {
    "tampered letter": (_tamper, "what was sent never changes"),
    "renamed letter": (_rename, "renamed"),
    "dropped letter": (_drop, "may not be removed"),
    "broken header": (_break_header, agent_path(BLUE)),
    "duplicate key": (_duplicate_key, "name"),
    "unknown path": (_unknown_path, "a store has no such path"),
    "symlink": (_symlink, "not a plain file"),
    "exec bit": (_exec_bit, "not a plain file"),
    "submodule": (_submodule, "not a plain file"),
    "forged letter": (_forged_letter, "but the author is"),
    "letter dated ahead": (_dated_ahead, "lies ahead"),
    "another's mark": (_marked_by_another, "set a mark in the mailbox of"),
    "garbage beside a letter": (_garbage_beside_a_letter, "archive"),
    "agent with letters gone": (_agent_with_letters_gone, "may not be removed"),
    "settings gone": (_settings_gone, "may not be removed"),
    "settings broken": (_settings_broken, "gitmail.toml"),
    "a program to run": (_program_to_run, "cannot come by a push"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_push_that_breaks_a_rule_is_refused_with_a_sentence_and_leaves_nothing(
    shared: Path, shared_clone: Path, name: str
) -> None:
    spoil, words = BAD[name]
    spoil(shared_clone)
    if name != "submodule":
        commit(shared_clone)
    before = (main_of(shared), objects_of(shared), files_on_disk(shared))
    said = push(shared_clone)
    assert "pre-receive hook declined" in said
    sentence = next(line for line in said.splitlines() if "gitmail: " in line)
    assert words in said, sentence
    assert "Traceback" not in said
    assert (main_of(shared), objects_of(shared), files_on_disk(shared)) == before


def test_a_rule_broken_in_the_middle_and_mended_at_the_end_is_refused_too(
    shared_clone: Path,
) -> None:
    letter = letter_in(shared_clone)
    data = letter.read_bytes()
    _tamper(shared_clone)
    commit(shared_clone, "tampered")
    letter.write_bytes(data)
    commit(shared_clone, "and put back")
    assert "pre-receive hook declined" in push(shared_clone)


def test_a_merge_that_drops_the_other_sides_letters_is_refused(
    clone: Path, path: Path, store: Store
) -> None:
    post(store, BLUE, RED, subject="Meanwhile")
    note = clone / agent_path(RED)
    note.write_text(note.read_text() + "Mine.\n", encoding="utf-8")
    commit(clone)
    git(clone, "fetch", "--quiet")
    git(clone, "merge", "--quiet", "-s", "ours", "-m", "ours", "origin/main")
    before = main_of(path)
    said = push(clone)
    assert "pre-receive hook declined" in said
    assert "may not be removed" in said
    assert main_of(path) == before


@pytest.mark.parametrize(
    ("refspec", "words"),
    [
        ("+HEAD~1:main", "main only grows"),
        (":main", "main"),
        ("HEAD:refs/heads/other", "one branch, main"),
        ("HEAD:refs/tags/v1", "one branch, main"),
        ("HEAD:refs/notes/commits", "one branch, main"),
    ],
)
def test_main_is_the_only_ref_and_only_grows(
    shared: Path, shared_clone: Path, refspec: str, words: str
) -> None:
    before = main_of(shared)
    said = push(shared_clone, "origin", refspec)
    assert "rejected" in said
    assert words in said
    assert main_of(shared) == before
    assert git(shared, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_the_check_holds_under_a_pushers_own_hooks_path(shared_clone: Path, tmp_path: Path) -> None:
    hooks = tmp_path / "my-hooks"
    hooks.mkdir()
    config = tmp_path / "gitconfig"
    shutil.copyfile(os.environ["GIT_CONFIG_GLOBAL"], config)
    with config.open("a", encoding="utf-8") as file:
        file.write(f"[core]\n\thooksPath = {hooks}\n")
    _tamper(shared_clone)
    commit(shared_clone)
    said = push(shared_clone, env=os.environ | {"GIT_CONFIG_GLOBAL": str(config)})
    assert "what was sent never changes" in said


def test_a_push_is_taken_after_a_writer_died_holding_main(
    clone: Path, path: Path, forge: Forge
) -> None:
    assert forge.run("send", path, who=BLUE, to=[GREEN], kill_at="reflog-written").killed
    assert (path / ".git/refs/heads/main.lock").exists()
    note = clone / agent_path(RED)
    note.write_text(note.read_text() + "Pushed.\n", encoding="utf-8")
    commit(clone)
    said = push(clone)
    assert "HEAD -> main" in said
    assert "rejected" not in said
    assert_sound(path)


def test_a_push_without_an_interpreter_is_refused_with_the_next_step(
    clone: Path, path: Path
) -> None:
    write_hooks(path / ".git", "/nowhere/python")
    commit(clone)
    said = push(clone)
    assert "pre-receive hook declined" in said
    assert "/nowhere/python is gone" in said
    assert "gitmail init" in said


# -- undo --------------------------------------------------------------------------------------


def test_undo_of_an_acknowledgement_makes_the_letter_wait_again(store: Store, path: Path) -> None:
    sent = post(store, BLUE, GREEN, ack_required=True)
    post(store, RED, GREEN, subject="Unrelated")
    acknowledge(store, caller(GREEN), [sent.letter.id])
    acknowledged = store.main()
    post(store, RED, BLUE, subject="Later")
    assert waiting(store, GREEN).waiting_count == 1
    undo(store, PAT, acknowledged[:10])
    box = waiting(store, GREEN)
    assert box.waiting[0].letter.id == sent.letter.id
    assert box.waiting_count == 2
    assert box.waiting[0].delivery.marks.acknowledged_at is None
    assert (path / inbox_path(GREEN, Path(box.waiting[0].path).name)).exists()
    assert_sound(path)


def test_undo_says_no_where_the_path_changed_since(store: Store) -> None:
    sent = post(store, BLUE, GREEN, ack_required=True)
    delivered = store.main()
    acknowledge(store, caller(GREEN), [sent.letter.id])
    before = store.main()
    with pytest.raises(Refused) as caught:
        undo(store, PAT, delivered)
    assert caught.value.code == "cannot_undo"
    assert "changed since" in caught.value.message
    assert store.main() == before


def test_undo_of_the_first_commit_of_a_merge_and_of_a_mailbox_with_letters_is_refused(
    clone: Path, path: Path, store: Store
) -> None:
    registered = git(path, "log", "--format=%H", "--grep=BlueLake registered")
    first = git(path, "rev-list", "--max-parents=0", "main")
    note = clone / agent_path(RED)
    note.write_text(note.read_text() + "Mine.\n", encoding="utf-8")
    commit(clone)
    post(store, BLUE, RED)
    git(clone, "pull", "--quiet", "--no-rebase", "--no-edit")
    push(clone)
    before = store.main()
    assert len(git(path, "log", "-1", "--format=%P").split()) == 2
    for target in (registered, first, "main"):
        with pytest.raises(Refused) as caught:
            undo(store, PAT, target)
        assert caught.value.code == "cannot_undo"
    assert store.main() == before


def test_undo_can_itself_be_undone(store: Store, path: Path) -> None:
    sent = post(store, BLUE, GREEN, ack_required=True)
    acknowledge(store, caller(GREEN), [sent.letter.id])
    acknowledged = store.main()
    undone = undo(store, PAT, acknowledged).commit
    assert undone is not None
    undo(store, PAT, undone)
    assert waiting(store, GREEN).waiting_count == 0
    assert_sound(path)
