"""The commands by name; each is imported when it is called, so that none pays for another."""

from __future__ import annotations

from importlib import import_module

import click

from gitmail.cli.command import PLACE_OPTIONS

COMMANDS = {
    "init": "init",
    "where": "where",
    "register": "register",
    "agents": "agents",
    "token": "token",
    "retire": "retire",
    "send": "send",
    "sent": "sent",
    "inbox": "inbox",
    "read": "read",
    "show": "show",
    "reply": "reply",
    "ack": "ack",
    "remember": "remember",
    "recall": "recall",
    "memories": "memories",
    "memory": "memory",
    "consolidate": "consolidate",
    "forget": "forget",
    "reinstate": "reinstate",
    "log": "log",
    "wait": "wait",
    "brief": "brief",
    "reserve": "reserve",
    "release": "release",
    "reservations": "reservations",
    "check": "check",
    "commit": "commit",
    "undo": "undo",
    "archive": "archive",
    "maintain": "maintain",
    "serve": "serve",
    "setup": "setup",
    "hook": "hook",
    "hooks": "hooks",
    "guard": "guard",
    "doctor": "doctor",
    "check-store": "check_store",
    "demo": "demo",
}
"""Command by command, the module below gitmail.cli.commands whose `command` it is."""


class LazyGroup(click.Group):
    """A group that knows its commands by name only, in the order in which they are told."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return all names, in the order of a tour."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return one command; None for a name that none has."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command = import_module(f"gitmail.cli.commands.{module}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with; an unknown one names its neighbours."""
        if args and args[0] not in COMMANDS:
            import difflib  # only for a typing error

            near = difflib.get_close_matches(args[0], COMMANDS, n=2)
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"There is no command {args[0][:40]!r}.{meant}", ctx)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from gitmail import __version__

        click.echo(f"gitmail {__version__}")
        ctx.exit()


group = LazyGroup(
    "gitmail",
    help="Mail and memory for coding agents, kept as Markdown in a git repository.",
    params=[
        *PLACE_OPTIONS,
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_version,
            help="Show the version and leave.",
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
