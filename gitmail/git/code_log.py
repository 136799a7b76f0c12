"""The code project's history, for the commits that name a conversation of the store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from gitmail.git import process
from gitmail.git.history import LogEntry
from gitmail.values.sentences import CODE_THREAD, parse_trailers

_FIELDS = ("%x01%H", "%an", "%ct", "%B")


def commits_of_thread(common_dir: Path, thread: str, limit: int) -> list[LogEntry]:
    """Return the newest commits, of any branch, with the trailer `Gitmail-Thread: <thread>`.

    `when` is the time of committing, newest first. Raises StoreUnavailable.
    """
    args = ["log", "--branches", "--tags", "--remotes", "HEAD", f"--max-count={limit}"]
    args += ["--fixed-strings", "--regexp-ignore-case", f"--grep={CODE_THREAD}: {thread}"]
    args += ["--no-color", "--no-notes", "--encoding=UTF-8"]
    args += [f"--format=tformat:{'%x00'.join(_FIELDS)}%x00", "--"]
    done = process.try_run(args, git_dir=common_dir)
    if done.returncode != 0 and b"HEAD" not in done.stderr:
        raise process.failure("log", done.stderr, done.returncode)
    found = [_entry(record) for record in done.stdout.split(b"\x01")[1:]]
    return [one for one in found if thread in one.trailers.get(CODE_THREAD, [])]


def _entry(record: bytes) -> LogEntry:
    sha, author, seconds, message = record.decode("utf-8", "replace").split("\0")[:4]
    subject, _, body = message.strip("\n").partition("\n")
    return LogEntry(
        sha=sha,
        author=author,
        when=datetime.fromtimestamp(int(seconds), UTC),
        subject=subject,
        body=body.strip("\n"),
        trailers=parse_trailers(message),
    )
