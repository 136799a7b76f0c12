"""The command line: `gitmail COMMAND …`. Starts, hands over to one command, and ends quietly.

Exit codes: 0 done, 1 failure, 2 wrong usage, 3 nothing came in time (`wait`), 4 the store is busy,
130 interrupted. A failure is `gitmail: sentence` and a hint on standard error; with `--json` it is
one JSON object on standard output.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from gitmail.errors import GitmailError, InvalidInput, StoreBusy
from gitmail.git import steps
from gitmail.git.environment import strip_process_environment

KILL_VARIABLE = "GITMAIL_TEST_KILL_AT"
_HELP = frozenset(("-h", "--help"))
FAILED, USAGE, TIMED_OUT, BUSY, INTERRUPTED = 1, 2, 3, 4, 130


def main() -> NoReturn:
    """Run the command line on sys.argv and end the process."""
    if sys.argv[1:2] == ["guard"] and not set(sys.argv) & _HELP:
        _guard(sys.argv[2:])
    strip_process_environment(os.environ)
    steps.arm(os.environ.pop(KILL_VARIABLE, None))
    gc.disable()  # loading modules makes no garbage, and looking for it takes a tenth of a start
    status = _interruptible(sys.argv[1:])
    leave(status)


def _interruptible(arguments: Sequence[str]) -> int:
    try:
        return _hook(arguments[1:]) if _is_hook(arguments) else run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return FAILED
    except OSError as error:  # the last resort: the disk, or standard output itself
        where = f" ({error.filename})" if error.filename else ""
        _complain(f"{error.strerror or error}{where}")
        return FAILED


def _is_hook(arguments: Sequence[str]) -> bool:
    """Tell a host's hook, which runs once per tool call of an agent and cannot wait for click."""
    return len(arguments) > 1 and arguments[0] == "hook" and arguments[1] not in _HELP


def _hook(arguments: Sequence[str]) -> int:
    from gitmail_hooks.host_hook import main as hook

    return hook(arguments, os.environ)


def _guard(arguments: Sequence[str]) -> NoReturn:
    """Be the guard of the code project, which needs git's variables to know what is committed."""
    from gitmail_hooks.guard import main as guard

    guard(arguments)


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code. Failures are told here and nowhere else."""
    import click

    from gitmail.cli.app import App

    app = App.of_process(os.environ, wants_json(arguments))
    try:
        with app:
            return _invoke(list(arguments) or ["--help"], app)
    except GitmailError as error:
        app.output.failure(error, app.warnings)
        return exit_code(error)
    except click.UsageError as error:
        app.output.failure(usage_error(error), app.warnings)
        return USAGE
    except click.Abort:
        return INTERRUPTED


def _invoke(arguments: list[str], app: object) -> int:
    """Let click read the arguments and call the command.

    Without click's own `main`, which answers Ctrl-C with an empty line.
    """
    import click

    from gitmail.cli.group import group

    try:
        with group.make_context("gitmail", arguments, obj=app) as context:
            status = group.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return status if isinstance(status, int) else 0


def wants_json(arguments: Sequence[str]) -> bool:
    """Tell whether `--json` was asked for, also when the rest cannot be understood."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def exit_code(error: GitmailError) -> int:
    """Return the exit code that stands for `error`."""
    if isinstance(error, StoreBusy):
        return BUSY
    return USAGE if isinstance(error, InvalidInput) else FAILED


def usage_error(error: object) -> GitmailError:
    """Return click's complaint in the one form of failures."""
    import click

    assert isinstance(error, click.UsageError)
    command = error.ctx.command_path if error.ctx else "gitmail"
    message = error.format_message()
    return GitmailError("usage", message, f"`{command} --help` shows how it is used.")


def leave(status: int) -> NoReturn:
    """End the process: everything is written out and closed, so nothing is torn down slowly."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
    except OSError as error:
        _complain(f"the output could not be written: {error.strerror}")
        status = status or FAILED
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(status)


def _complain(what: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"gitmail: {what}\n")
    _forget_output()


def _forget_output() -> None:
    """Send what is left of the output nowhere: the reader has gone, and that is no failure."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
