"""What every command has in common: whom it acts as, in which project, and how it answers."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any

import click

from gitmail.cli.app import App


def _act_as(ctx: click.Context, _: click.Parameter, name: str | None) -> None:
    if name is not None:
        _app(ctx).as_name = name


def _in_project(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    if path is not None:
        _app(ctx).project_path = path


def _app(ctx: click.Context) -> App:
    app = ctx.find_object(App)
    assert app is not None  # main hands one to the group
    return app


PLACE_OPTIONS: tuple[click.Option, ...] = (
    click.Option(
        ["--as"],
        metavar="NAME",
        expose_value=False,
        callback=_act_as,
        help="Act as this registered agent or person.",
    ),
    click.Option(
        ["--project"],
        metavar="PATH",
        expose_value=False,
        callback=_in_project,
        help="Work in the project at PATH.",
    ),
)
"""The options that stand before or after any command's name."""

JSON_OPTION = click.Option(
    ["--json"], is_flag=True, expose_value=False, help="Answer with one JSON object."
)
"""Only documents the option: main has looked for it before anything could go wrong."""


def gitmail_command(
    name: str, *, answers_json: bool = True
) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a command of a function `(app, **options)` that may return an exit code.

    Its docstring is the command's help.
    """

    def decorate(function: Callable[..., int | None]) -> click.Command:
        @functools.wraps(function)
        def loaded(app: App, **options: Any) -> int | None:
            gc.enable()  # main switched it off while modules were loaded
            return function(app, **options)

        settings: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
        made = click.command(name, context_settings=settings)(click.pass_obj(loaded))
        made.params += [*PLACE_OPTIONS, *([JSON_OPTION] if answers_json else [])]
        return made

    return decorate
