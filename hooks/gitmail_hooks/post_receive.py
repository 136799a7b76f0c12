"""The store's post-receive hook: after a push the tree and the index follow at once.

A failure here loses nothing (main has moved; the next opener follows) and is said in a sentence.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gitmail.errors import GitmailError
from gitmail.git.environment import strip_process_environment
from gitmail.store.location import NOBODY
from gitmail.store.pushing import push_is_over
from gitmail.store.store import Store


def main() -> None:
    """Bring the views of the store to main."""
    git_dir = Path(os.environ.get("GIT_DIR") or ".").resolve()
    strip_process_environment(os.environ)
    sys.stdin.read()
    try:
        with Store(git_dir.parent, NOBODY) as store:
            push_is_over(store.private)
            store.follow()
            for notice in store.take_notices():
                print(f"gitmail: {notice.message}", file=sys.stderr)
    except (GitmailError, OSError) as error:
        print(f"gitmail: the push is in; the files will follow later: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
