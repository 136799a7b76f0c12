"""What git starts as hooks of the code project, as text: POSIX sh, quoted for any path.

Each starts one absolute interpreter with `-I`, so that neither PYTHONPATH nor a module in the
current folder can change what runs. Nothing but the guard's own verdict may stop a commit: a
missing interpreter or a crash is a warning. (The store's own hooks: `gitmail.store.hook_stubs`.)
"""

from __future__ import annotations

import os
import shlex

GUARD_PROGRAM = "from gitmail_hooks.guard import main; main()"
"""What the interpreter runs; `-m` would cost a twentieth of what a hook may take."""
GUARD_COMMAND = "gitmail-guard"

PROJECT_HOOKS = ("pre-commit", "pre-push")
COMMIT_MSG = "commit-msg"
"""The helper that adds Gitmail-Thread to messages; installed only when it is asked for."""
ALL_HOOKS = (*PROJECT_HOOKS, COMMIT_MSG)

BLOCKED = 3
"""The guard's exit status for "held by somebody else"; only this one stops a commit."""
PROBED = 4
"""The guard's exit status when it was only asked whether it runs."""
PROBE_VARIABLE = "GITMAIL_GUARD_PROBE"

_SEAL = "# gitmail guard "


def kept_name(kind: str) -> str:
    """Return the name under which the hook that was there before is kept beside ours."""
    return f"{kind}.before-gitmail"


def project_hook_stub(kind: str, interpreter: str) -> bytes:
    """Return a hook of the code project: the kept hook first, then the guard.

    The second line seals the text, so that `is_project_stub` and `is_unchanged` can tell our own
    from a hook that somebody has extended.
    """
    pushing = kind == "pre-push"
    run_kept = '"$kept" "$@"'
    run_guard = f'"$python" -I -c \'{GUARD_PROGRAM}\' {kind} "$@"'
    body = f"""\
# Put here by `gitmail hooks install`. `gitmail hooks uninstall` takes it away and puts back what
# was here before: {kept_name(kind)}, which is run first.
python={shlex.quote(interpreter)}
kept="${{0%/*}}/{kept_name(kind)}"
{_PUSHED if pushing else ""}\
if [ -z "${{{PROBE_VARIABLE}-}}" ] && [ -f "$kept" ] && [ -x "$kept" ]; then
  {"pushed | " if pushing else ""}{run_kept} || exit $?
fi
if [ ! -x "$python" ]; then
  printf '%s\\n' "gitmail: the guard did not run, $python is gone: gitmail hooks install" >&2
  exit 0
fi
{"pushed | " if pushing else ""}{run_guard}
case $? in
  0) exit 0 ;;
  {BLOCKED}) exit 1 ;;
  {PROBED}) exit {PROBED} ;;
  130) exit 130 ;;
esac
printf '%s\\n' "gitmail: the guard failed, so nothing was checked: gitmail hooks status" >&2
exit 0
"""
    data = os.fsencode(body)
    return b"#!/bin/sh\n" + _seal(data) + data


_PUSHED = """\
lines=$(cat)
pushed() {
  if [ -n "$lines" ]; then printf '%s\\n' "$lines"; fi
}
"""


def is_project_stub(data: bytes) -> bool:
    """Whether a hook was written by `project_hook_stub`, changed since or not."""
    return data.startswith(b"#!/bin/sh\n" + _SEAL.encode())


def is_unchanged(data: bytes) -> bool:
    """Whether a hook is as `project_hook_stub` wrote it, with this version or another."""
    _, _, rest = data.partition(b"\n")
    seal, _, body = rest.partition(b"\n")
    return is_project_stub(data) and seal + b"\n" == _seal(body)


def _seal(body: bytes) -> bytes:
    import hashlib  # the guard needs the constants above, but never a seal

    return f"{_SEAL}{hashlib.sha256(body).hexdigest()}\n".encode()


def config_hook_command(kind: str, interpreter: str) -> str:
    """Return the command for `hook.NAME.command`; git appends the hook's own arguments."""
    python = shlex.quote(interpreter)
    guard = f'{python} -I -c "{GUARD_PROGRAM}" {kind} "$@"; [ $? -ne {BLOCKED} ]'
    return f"sh -c {shlex.quote(f'[ -x {python} ] || exit 0; {guard}')} {GUARD_COMMAND}"


def line_to_add(kind: str) -> str:
    """Return what a person adds at the top of a hook that another program or the team owns.

    It names no path, for such files are shared: where gitmail is not installed it does nothing.
    A pre-push hook is given its input back, which git-lfs and others read.
    """
    run = f"if command -v {GUARD_COMMAND} >/dev/null 2>&1; then "
    verdict = f"|| [ $? -lt {BLOCKED} ] || exit 1; fi"
    if kind != "pre-push":
        return f'{run}{GUARD_COMMAND} {kind} "$@" {verdict}'
    return (
        "gitmail_lines=$(cat)\n"
        f'{run}printf \'%s\\n\' "$gitmail_lines" | {GUARD_COMMAND} {kind} "$@" {verdict}\n'
        "exec <<GITMAIL_END\n$gitmail_lines\nGITMAIL_END"
    )
