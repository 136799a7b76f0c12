"""Trees: changing a few paths of a big tree by rewriting only the trees above them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gitmail.errors import Refused
from gitmail.git.loose import LooseWriter
from gitmail.git.objects import TREE, ObjectReader, TreeEntry

FILE = 0o100644
_SYMLINK = 0o120000
_GITLINK = 0o160000
_Parts = tuple[str, ...]


def change_tree(
    reader: ObjectReader,
    writer: LooseWriter,
    root: str | None,
    changes: Mapping[str, str | None],
) -> str:
    """Return the SHA-1 of `root` with `changes` applied (path → blob SHA-1, or None to delete).

    Only trees on the changed paths are read and written; folders left empty vanish; a file's mode
    is kept, a new file gets 0o100644; deleting what is not there changes nothing. The new trees
    are added to `writer`, not flushed. Raises Refused `path_conflict` for a path through a file,
    symlink or submodule or onto a folder, `invalid_path` for one that git would not check out.
    """
    split = {_parts(path): sha for path, sha in changes.items()}
    new = _change(reader, writer, root, split, "")
    return new if new is not None else _write(reader, writer, {})


def read_path(reader: ObjectReader, root: str, path: str) -> TreeEntry | None:
    """Return the entry at `path` below the tree `root`, or None."""
    entry: TreeEntry | None = TreeEntry(TREE, root)
    for name in _parts(path):
        if entry is None or entry.mode != TREE:
            return None
        entry = reader.tree(entry.sha).get(name)
    return entry


def list_tree(reader: ObjectReader, root: str, prefix: str = "") -> Iterator[tuple[str, TreeEntry]]:
    """Yield (path, entry) of everything below `prefix` that is no folder, sorted as git sorts."""
    if prefix:
        entry = read_path(reader, root, prefix)
        if entry is None:
            return
        if entry.mode != TREE:
            yield prefix, entry
            return
        root = entry.sha
    yield from _list(reader, root, f"{prefix}/" if prefix else "")


def _list(reader: ObjectReader, sha: str, where: str) -> Iterator[tuple[str, TreeEntry]]:
    for name, entry in reader.tree(sha).items():
        if entry.mode == TREE:
            yield from _list(reader, entry.sha, f"{where}{name}/")
        else:
            yield where + name, entry


def _parts(path: str) -> _Parts:
    parts = tuple(path.split("/"))
    for part in parts:
        if part in ("", ".", "..") or part.lower() == ".git" or "\0" in part:
            raise Refused("invalid_path", f"{path!r} is no path inside the store.", path=path)
    return parts


def _change(
    reader: ObjectReader,
    writer: LooseWriter,
    sha: str | None,
    changes: Mapping[_Parts, str | None],
    where: str,
) -> str | None:
    old = reader.tree(sha) if sha is not None else {}
    new = dict(old)
    below: dict[str, dict[_Parts, str | None]] = {}
    for parts, blob in changes.items():
        if len(parts) > 1:
            below.setdefault(parts[0], {})[parts[1:]] = blob
    for parts, blob in changes.items():
        if len(parts) == 1:
            if parts[0] in below:
                raise _conflict(where + parts[0], "it would be both a file and a folder")
            _put_file(new, parts[0], blob, where)
    for name, inner in below.items():
        _put_folder(reader, writer, new, name, inner, where)
    if new == old and sha is not None:
        return sha
    return _write(reader, writer, new) if new else None


def _put_file(new: dict[str, TreeEntry], name: str, blob: str | None, where: str) -> None:
    entry = new.get(name)
    if entry is not None and entry.mode == TREE:
        raise _conflict(where + name, "it is a folder")
    if blob is None:
        new.pop(name, None)
        return
    if entry is not None and entry.mode in (_SYMLINK, _GITLINK):
        raise _conflict(where + name, "it is a symlink or a submodule")
    new[name] = TreeEntry(entry.mode if entry is not None else FILE, blob)


def _put_folder(
    reader: ObjectReader,
    writer: LooseWriter,
    new: dict[str, TreeEntry],
    name: str,
    inner: Mapping[_Parts, str | None],
    where: str,
) -> None:
    entry = new.get(name)
    if entry is not None and entry.mode != TREE:
        if any(blob is not None for blob in inner.values()):
            raise _conflict(where + name, "it is no folder")
        return
    sha = _change(reader, writer, entry.sha if entry else None, inner, f"{where}{name}/")
    if sha is None:
        new.pop(name, None)
    else:
        new[name] = TreeEntry(TREE, sha)


def _write(reader: ObjectReader, writer: LooseWriter, entries: dict[str, TreeEntry]) -> str:
    lines = sorted(
        ((name.encode("utf-8", "surrogateescape"), entry) for name, entry in entries.items()),
        key=lambda line: line[0] + b"/" if line[1].mode == TREE else line[0],
    )
    data = b"".join(
        b"%o %s\0%s" % (entry.mode, name, bytes.fromhex(entry.sha)) for name, entry in lines
    )
    sha = writer.add("tree", data)
    ordered = {name.decode("utf-8", "surrogateescape"): entry for name, entry in lines}
    reader.remember_tree(sha, ordered)
    return sha


def _conflict(path: str, why: str) -> Refused:
    return Refused("path_conflict", f"Cannot write at {path} in the store: {why}.", path=path)
