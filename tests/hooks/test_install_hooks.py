"""Installing the guard's hooks, proving that they run, and putting everything back."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gitmail.errors import NotFound, Refused
from gitmail.git.hook_places import config_hook_names, hooks_place
from gitmail_hooks.hook_status import HookStatus, status
from gitmail_hooks.install import Plan, carry_out, install, plan_install, uninstall
from gitmail_hooks.stubs import (
    config_hook_command,
    is_unchanged,
    kept_name,
    line_to_add,
    project_hook_stub,
)

KIND = "pre-commit"


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a folder: mode and bytes (a link's own text)."""
    found = {}
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            found[str(path.relative_to(folder))] = (info.st_mode, os.fsencode(os.readlink(path)))
        elif stat.S_ISREG(info.st_mode):
            found[str(path.relative_to(folder))] = (info.st_mode, path.read_bytes())
    return found


def states(environment: Mapping[str, str], cwd: Path) -> dict[str, str]:
    return {one.kind: one.state for one in status(environment, cwd)}


def one_status(code) -> HookStatus:
    return next(one for one in status(code.environment, code.top) if one.kind == KIND)


@pytest.fixture
def guard_on_path(code, interpreter: str, tmp_path: Path) -> None:
    """Put the program `gitmail-guard` on the PATH of the repository's git."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "gitmail-guard"
    program.write_text('#!/bin/sh\nexec "$GUARD_PYTHON" -I -m gitmail_hooks.guard "$@"\n')
    program.chmod(0o755)
    code.environment["GUARD_PYTHON"] = interpreter
    code.environment["PATH"] = f"{folder}{os.pathsep}{code.environment['PATH']}"


def test_nothing_is_there_until_asked_and_a_dry_run_changes_nothing(code, interpreter) -> None:
    before = snapshot(code.top / ".git/hooks")
    plan = install(code.environment, code.top, interpreter, dry_run=True)
    assert [(step.action, step.kind) for step in plan.steps] == [
        ("write", "pre-commit"),
        ("write", "pre-push"),
    ]
    assert all(step.sentence() for step in plan.steps)
    assert snapshot(code.top / ".git/hooks") == before
    assert states(code.environment, code.top) == {"pre-commit": "absent", "pre-push": "absent"}


def test_installed_hooks_are_proven_by_running_them(code, interpreter: str) -> None:
    install(code.environment, code.top, interpreter)
    assert states(code.environment, code.top) == {"pre-commit": "active", "pre-push": "active"}
    assert install(code.environment, code.top, interpreter) == Plan()
    assert code.commit("passes", "src/a.py")


def test_installing_from_a_linked_worktree_or_a_subfolder_serves_all(
    code, interpreter: str, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    code.git("worktree", "add", "-q", str(linked))
    install(code.environment, linked / "src", interpreter)
    assert is_unchanged((code.top / ".git/hooks/pre-commit").read_bytes())
    for cwd in (code.top, code.top / "docs", linked):
        assert set(states(code.environment, cwd).values()) == {"active"}
    code.git("commit", "-q", "--allow-empty", "-m", "x", cwd=linked)


EXISTING = '#!/bin/sh\necho "old $0 $*" >> ../ran\ncat >> ../ran\n[ ! -e ../refuse ]\n'


@pytest.mark.parametrize("kind", ["pre-commit", "pre-push"])
def test_an_existing_hook_runs_first_with_the_same_arguments_and_input(
    code, interpreter: str, tmp_path: Path, kind: str
) -> None:
    code.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    code.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    code.hook(kind, EXISTING)
    install(code.environment, code.top, interpreter)
    code.git("commit", "-q", "--allow-empty", "-m", "x")
    code.git("push", "-q", "origin", "main")
    ran = (tmp_path / "ran").read_text()
    head = code.git("rev-parse", "HEAD")
    assert ran.startswith(f"old .git/hooks/{kept_name(kind)}")
    if kind == "pre-push":
        assert f"origin {tmp_path}/remote.git\n" in ran
        assert f"refs/heads/main {head} refs/heads/main {'0' * 40}\n" in ran
    (tmp_path / "refuse").touch()
    refused = ["commit", "--allow-empty", "-m", "y"] if kind == KIND else ["push", "origin", "x"]
    code.git("branch", "x")
    assert code.try_git(*refused).returncode != 0


def test_an_existing_hook_is_not_run_by_the_proof(code, interpreter: str, tmp_path: Path) -> None:
    code.hook(KIND, EXISTING)
    install(code.environment, code.top, interpreter)
    found = one_status(code)
    assert found.state == "active"
    assert found.kept == code.top / ".git/hooks" / kept_name(KIND)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("mode", [0o755, 0o700, 0o644, 0o2755])
def test_uninstalling_restores_byte_for_byte_and_bit_for_bit(
    code, interpreter: str, mode: int
) -> None:
    code.hook(KIND, "#!/bin/sh\nexit 0 # é\n", mode)
    code.hook("pre-push.sample", "sample")
    before = snapshot(code.top / ".git")
    install(code.environment, code.top, interpreter)
    assert code.commit("passes", "src/new.py") or True
    code.git("reset", "-q", "--hard", "HEAD~1")
    uninstall(code.environment, code.top)
    after = snapshot(code.top / ".git")
    assert {name: one for name, one in after.items() if name.startswith(("hooks", "config"))} == {
        name: one for name, one in before.items() if name.startswith(("hooks", "config"))
    }
    assert uninstall(code.environment, code.top) == Plan()


def test_a_hook_that_is_a_link_is_kept_as_one(code, interpreter: str) -> None:
    code.write("scripts/check.sh", "#!/bin/sh\nexit 1\n")
    (code.top / "scripts/check.sh").chmod(0o755)
    hooks = code.top / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / KIND).symlink_to("../../scripts/check.sh")
    before = snapshot(hooks)
    install(code.environment, code.top, interpreter)
    assert code.try_git("commit", "--allow-empty", "-m", "x").returncode == 1
    uninstall(code.environment, code.top)
    assert snapshot(hooks) == before
    assert (code.top / "scripts/check.sh").read_text() == "#!/bin/sh\nexit 1\n"


def test_a_repository_without_a_hooks_folder_has_none_again(make_code, interpreter: str) -> None:
    code = make_code("bare-template")
    code.git("init", "-q", "--template=", str(code.top / "inner"))
    inner = code.top / "inner"
    assert not (inner / ".git/hooks").exists()
    install(code.environment, inner, interpreter)
    assert set(states(code.environment, inner).values()) == {"active"}
    uninstall(code.environment, inner)
    assert not (inner / ".git/hooks").exists()


def test_a_hook_somebody_extended_is_not_deleted(code, interpreter: str) -> None:
    install(code.environment, code.top, interpreter)
    path = code.top / ".git/hooks/pre-push"
    path.write_text(path.read_text() + "my own line\n")
    before = snapshot(code.top / ".git/hooks")
    for call in (
        lambda: uninstall(code.environment, code.top),
        lambda: install(code.environment, code.top, "/other/python"),
    ):
        with pytest.raises(Refused) as caught:
            call()
        assert caught.value.code == "hook_changed"
        assert snapshot(code.top / ".git/hooks") == before


def test_a_second_foreign_hook_beside_the_kept_one_is_refused(code, interpreter: str) -> None:
    code.hook(KIND, "#!/bin/sh\n# first\n")
    install(code.environment, code.top, interpreter)
    (code.top / ".git/hooks" / KIND).unlink()
    code.hook(KIND, "#!/bin/sh\n# second\n")
    with pytest.raises(Refused) as caught:
        install(code.environment, code.top, interpreter)
    assert caught.value.code == "hook_kept"
    plan = uninstall(code.environment, code.top)
    assert kept_name(KIND) in plan.notes[0]
    assert "# second" in (code.top / ".git/hooks" / KIND).read_text()


def test_another_interpreter_takes_the_place_of_the_first(code, interpreter: str) -> None:
    code.hook(KIND, "#!/bin/sh\n# mine\n")
    install(code.environment, code.top, "/gone/python")
    assert one_status(code).state == "broken"
    assert "/gone/python is gone" in one_status(code).detail
    assert "/gone/python is gone" in code.try_git("commit", "--allow-empty", "-m", "x").stderr
    install(code.environment, code.top, interpreter)
    assert one_status(code).state == "active"
    uninstall(code.environment, code.top)
    assert (code.top / ".git/hooks" / KIND).read_text() == "#!/bin/sh\n# mine\n"


def test_a_guard_that_crashes_or_is_not_installed_lets_the_commit_pass(
    code, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    install(code.environment, code.top, str(python))
    done = code.try_git("commit", "--allow-empty", "-m", "x")
    assert done.returncode == 0
    assert "the guard failed" in done.stderr


def test_the_guards_own_verdict_stops_the_commit(code, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    install(code.environment, code.top, str(python))
    assert code.try_git("commit", "--allow-empty", "-m", "x").returncode == 1
    code.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "x")


@pytest.mark.parametrize("kind", ["pre-commit", "pre-push"])
@pytest.mark.parametrize("python", ['/a b/it\'s $HOME `x` "y"\\n/python', "/ä\n/p", "/\udcff"])
@pytest.mark.parametrize("shell", ["sh", "dash"])
def test_any_interpreter_path_gives_valid_posix_sh(kind: str, python: str, shell: str) -> None:
    data = project_hook_stub(kind, python)
    done = subprocess.run([shell, "-n"], input=data, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert is_unchanged(data)
    assert not is_unchanged(data + b"\n")
    printed = data.split(b"kept=")[0] + b'printf %s "$python"'
    shown = subprocess.run([shell], input=printed, capture_output=True, check=False)
    assert shown.stdout == os.fsencode(python)


# -- folders that are somebody else's ------------------------------------------------------------


def test_husky_owns_its_folder_and_one_line_is_printed(
    code, interpreter: str, guard_on_path: None
) -> None:
    code.git("config", "core.hooksPath", ".husky/_")
    code.write(".husky/_/pre-commit", '#!/bin/sh\nsh -e ".husky/pre-commit" "$@"\n')
    (code.top / ".husky/_/pre-commit").chmod(0o755)
    code.write(".husky/pre-commit", "echo tests >> ran\n")
    before = snapshot(code.top)
    plan = install(code.environment, code.top, interpreter)
    assert plan.steps == ()
    assert snapshot(code.top) == before
    by_hand = plan.by_hand[0]
    assert by_hand.path == code.top / ".husky/pre-commit"
    assert by_hand.line == line_to_add(KIND)
    assert "\n" not in by_hand.line
    assert (one_status(code).state, one_status(code).add) == ("absent", by_hand.line)
    code.write(".husky/pre-commit", f"{by_hand.line}\necho tests >> ran\n")
    assert one_status(code).state == "active"
    assert not (code.top / "ran").exists()
    code.git("commit", "-q", "--allow-empty", "-m", "x")
    assert (code.top / "ran").exists()
    code.write(".husky/pre-commit", f"echo tests >> ran\n{by_hand.line}\n")
    assert one_status(code).state == "unproven"


def test_the_lines_to_add_do_nothing_where_gitmail_is_not_installed(tmp_path: Path) -> None:
    for kind in ("pre-commit", "pre-push"):
        script = f"{line_to_add(kind)}\ncat\n"
        done = subprocess.run(
            ["sh", "-e", "-c", script], input=b"a b c d\n", capture_output=True, check=False
        )
        assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"a b c d\n")


@pytest.mark.parametrize(("status_", "expected"), [(0, 0), (1, 0), (3, 1), (4, 1)])
def test_the_line_to_add_stops_only_for_the_guards_verdict(
    tmp_path: Path, status_: int, expected: int
) -> None:
    program = tmp_path / "gitmail-guard"
    program.write_text(f'#!/bin/sh\necho "$@"\nexit {status_}\n')
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(
        ["sh", "-e", "-c", line_to_add(KIND), "hook"], env=environment, check=False
    )
    assert done.returncode == expected


def test_a_hooks_folder_in_the_work_tree_is_the_teams(code, interpreter: str) -> None:
    code.git("config", "core.hooksPath", ".githooks")
    plan = install(code.environment, code.top, interpreter)
    assert plan.steps == ()
    assert [one.path for one in plan.by_hand] == [
        code.top / ".githooks/pre-commit",
        code.top / ".githooks/pre-push",
    ]
    assert "core.hooksPath (local) is .githooks" in plan.notes[0]
    assert code.git("status", "--porcelain") == ""


def test_a_hooks_folder_linked_into_the_work_tree_is_the_teams(code, interpreter: str) -> None:
    code.write("githooks/README")
    hooks = code.top / ".git/hooks"
    for sample in hooks.glob("*"):
        sample.unlink()
    hooks.rmdir()
    hooks.symlink_to("../githooks")
    assert install(code.environment, code.top, interpreter).steps == ()


def test_a_private_hooks_folder_inside_git_is_used(code, interpreter: str) -> None:
    code.git("config", "core.hooksPath", str(code.top / ".git/my hooks"))
    install(code.environment, code.top, interpreter)
    assert (code.top / ".git/my hooks/pre-commit").exists()
    assert one_status(code).state == "active"


@pytest.mark.parametrize("value", ["", "/dev/null"])
def test_hooks_switched_off_are_said_loudly(code, interpreter: str, value: str) -> None:
    code.git("config", "core.hooksPath", value)
    plan = install(code.environment, code.top, interpreter)
    assert (plan.steps, plan.by_hand) == ((), ())
    assert "runs no hooks here at all" in plan.notes[0]
    assert one_status(code).state == "absent"


def test_a_global_dispatcher_is_left_alone_and_force_local_installs_behind_it(
    code, interpreter: str, tmp_path: Path
) -> None:
    shared = tmp_path / "shared hooks"
    shared.mkdir()
    config = tmp_path / "global.config"
    home = Path(code.environment["GIT_CONFIG_GLOBAL"]).read_text()
    config.write_text(f'{home}[core]\n\thooksPath = "{shared}"\n')
    code.environment["GIT_CONFIG_GLOBAL"] = str(config)
    plan = install(code.environment, code.top, interpreter)
    assert plan.steps == ()
    assert plan.by_hand[0].path == shared / KIND
    assert "--force-local" in plan.notes[1]
    install(code.environment, code.top, interpreter, force_local=True)
    assert one_status(code).state == "ignored"
    dispatcher = shared / KIND
    dispatcher.write_text(
        '#!/bin/sh\nown=$(git rev-parse --git-common-dir)/hooks/pre-commit\nexec "$own" "$@"\n'
    )
    dispatcher.chmod(0o755)
    assert one_status(code).state == "active"
    uninstall(code.environment, code.top)
    assert not (code.top / ".git/hooks" / KIND).exists()
    assert dispatcher.exists()


def test_a_hook_that_another_manager_writes_again_is_extended_by_hand(
    code, interpreter: str
) -> None:
    code.hook(KIND, '#!/bin/sh\ncall_lefthook run "pre-commit" "$@"\n')
    before = (code.top / ".git/hooks" / KIND).read_text()
    plan = install(code.environment, code.top, interpreter)
    assert [one.kind for one in plan.by_hand] == [KIND]
    assert "lefthook" in plan.notes[0]
    assert (code.top / ".git/hooks" / KIND).read_text() == before


def test_hooks_path_set_after_installing_is_noticed(code, interpreter: str) -> None:
    install(code.environment, code.top, interpreter)
    code.git("config", "core.hooksPath", ".husky/_")
    found = one_status(code)
    assert found.state == "ignored"
    assert "core.hooksPath (local) is .husky/_" in found.detail
    assert found.add == line_to_add(KIND)


def test_a_hook_without_its_run_bit_is_broken_and_mended(code, interpreter: str) -> None:
    install(code.environment, code.top, interpreter)
    (code.top / ".git/hooks" / KIND).chmod(0o644)
    assert one_status(code).state == "broken"
    install(code.environment, code.top, interpreter)
    assert one_status(code).state == "active"


def test_hooks_in_configuration_where_git_has_them(code, interpreter: str) -> None:
    place = hooks_place(code.environment, code.top)
    with pytest.raises(Refused) as caught:
        plan_install(replace(place, config_hooks=False), interpreter, in_config=True)
    assert caught.value.code == "git_too_old"
    able = replace(place, config_hooks=True)
    assert "--config" in plan_install(able, interpreter).notes[0]
    before = (code.top / ".git/config").read_bytes()
    carry_out(plan_install(able, interpreter, in_config=True), code.environment, code.top)
    assert config_hook_names("gitmail-guard", code.environment, code.top) == [
        "gitmail-guard-pre-commit",
        "gitmail-guard-pre-push",
    ]
    assert code.git("config", "hook.gitmail-guard-pre-push.event") == "pre-push"
    uninstall(code.environment, code.top)
    assert (code.top / ".git/config").read_bytes() == before


def test_the_configured_command_runs_the_guard_and_only_its_verdict_counts(
    code, interpreter: str, tmp_path: Path
) -> None:
    def run(python: str, word: str = "") -> subprocess.CompletedProcess[str]:
        command = config_hook_command("pre-push", python) + ' "$@"'  # as git completes it
        return subprocess.run(
            ["sh", "-c", command, "hook", "origin", "url"],
            env={**code.environment, "GITMAIL_GUARD_PROBE": word},
            cwd=code.top,
            input="",
            capture_output=True,
            text=True,
            check=False,
        )

    assert run(interpreter, "word").stderr == "gitmail-guard pre-push word\n"
    assert run("/gone/it's").returncode == 0
    python = tmp_path / "it's"
    for status_, expected in ((1, 0), (3, 1)):
        python.write_text(f"#!/bin/sh\nexit {status_}\n")
        python.chmod(0o755)
        assert run(str(python)).returncode == expected


def test_outside_a_repository_is_an_error_that_names_the_folder(tmp_path: Path, code) -> None:
    environment = {**code.environment, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    with pytest.raises(NotFound) as caught:
        install(environment, tmp_path, "/python")
    assert caught.value.code == "project_not_found"
