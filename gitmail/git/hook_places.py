"""Where git looks for the hooks of a code project, and who decided that: git itself is asked."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gitmail.errors import NotFound
from gitmail.git.code_git import ask, one_line, try_ask
from gitmail.git.process import Completed, failure

_NO_SUCH_KEY = 1
_CONFIG_HOOK = "hook"
NOWHERE = Path("/dev/null")
"""The folder for an empty core.hooksPath, with which git looks in `/`: in effect nowhere."""


@dataclass(frozen=True, slots=True)
class HooksPlace:
    """Where the hooks of one checkout live; all paths are absolute.

    `folder` is where git looks, `default` the folder it would use without core.hooksPath. `scope`
    says where core.hooksPath is set (`local`, `worktree`, `global`, `system`, `command`), `value`
    what it is set to; both are None without one. `top` is None in a bare repository.
    `config_hooks` is true where git (2.54 and newer) runs hooks named in its configuration.
    """

    top: Path | None
    common_dir: Path
    folder: Path
    default: Path
    scope: str | None = None
    value: str | None = None
    config_hooks: bool = False


def hooks_place(environment: Mapping[str, str], cwd: Path) -> HooksPlace:
    """Ask git about the checkout that `cwd` is in.

    Raises NotFound `project_not_found` outside a repository, else StoreUnavailable.
    """
    done = try_ask(["rev-parse", "--path-format=absolute", "--git-common-dir"], environment, cwd)
    if done.returncode != 0:
        if b"not a git repository" in done.stderr and b"dubious" not in done.stderr:
            raise NotFound(
                "project_not_found",
                f"{cwd} is not inside a git repository.",
                "Change to the project whose hooks you mean.",
                path=str(cwd),
            )
        raise failure("rev-parse", done.stderr, done.returncode)
    common_dir = Path(one_line(done.stdout))
    scope, value = _hooks_path(environment, cwd)
    return HooksPlace(
        top=_top(environment, cwd),
        common_dir=common_dir,
        folder=_folder(environment, cwd) if value != "" else NOWHERE,
        default=common_dir / "hooks",
        scope=scope,
        value=value,
        config_hooks=_can_list(environment, cwd),
    )


def run_hook(
    kind: str, place: HooksPlace, environment: Mapping[str, str], timeout: float
) -> Completed:
    """Run a hook as git does, with no arguments and no input; its output is in `stderr`.

    Without `git hook run` (before 2.36) the file is started directly. Raises StoreUnavailable
    `git_timeout`.
    """
    cwd = place.top or place.common_dir
    done = try_ask(["hook", "run", "--ignore-missing", kind], environment, cwd, timeout=timeout)
    if b"is not a git command" not in done.stderr:
        return Completed(done.returncode, b"", done.stdout + done.stderr)
    direct = subprocess.run(
        [place.folder / kind],
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
        check=False,
    )
    return Completed(direct.returncode, b"", direct.stdout)


def config_hook_names(prefix: str, environment: Mapping[str, str], cwd: Path) -> list[str]:
    """Return the names in the project's own config of hooks that begin with `prefix`."""
    done = try_ask(
        ["config", "--local", "--null", "--name-only", "--get-regexp", rf"^hook\.{prefix}"],
        environment,
        cwd,
    )
    keys = one_line(done.stdout).split("\0")[:-1]
    return sorted({key.removeprefix("hook.").rpartition(".")[0] for key in keys})


def set_config_hook(
    name: str, event: str, command: str, environment: Mapping[str, str], cwd: Path
) -> None:
    """Name a hook in the project's own git config. Raises StoreUnavailable."""
    for key, value in (("event", event), ("command", command)):
        ask(["config", "--local", f"{_CONFIG_HOOK}.{name}.{key}", value], environment, cwd)


def remove_config_hook(name: str, environment: Mapping[str, str], cwd: Path) -> None:
    """Take a hook out of the project's own git config. Raises StoreUnavailable."""
    ask(["config", "--local", "--remove-section", f"{_CONFIG_HOOK}.{name}"], environment, cwd)


def _folder(environment: Mapping[str, str], cwd: Path) -> Path:
    arguments = ["rev-parse", "--path-format=absolute", "--git-path", "hooks"]
    return Path(one_line(ask(arguments, environment, cwd)))


def _top(environment: Mapping[str, str], cwd: Path) -> Path | None:
    done = try_ask(["rev-parse", "--show-toplevel"], environment, cwd)
    return Path(one_line(done.stdout)) if done.returncode == 0 else None


def _hooks_path(environment: Mapping[str, str], cwd: Path) -> tuple[str | None, str | None]:
    done = try_ask(
        ["config", "--null", "--show-scope", "--get", "core.hooksPath"], environment, cwd
    )
    if done.returncode == _NO_SUCH_KEY:
        return None, None
    if done.returncode != 0:
        raise failure("config", done.stderr, done.returncode)
    scope, value = one_line(done.stdout).split("\0")[:2]
    return scope, value


def _can_list(environment: Mapping[str, str], cwd: Path) -> bool:
    """Whether git knows `git hook list`, which came together with hooks in the configuration."""
    done = try_ask(["hook", "list", "pre-commit"], environment, cwd)
    return done.returncode in (0, 1) and b"is not a git command" not in done.stderr
