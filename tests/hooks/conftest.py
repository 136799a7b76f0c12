"""Real repositories, a real git, and an interpreter of its own that finds gitmail with `-I`."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Code:
    """A code repository: `git(...)` must succeed, `try_git(...)` may fail."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.environment = dict(os.environ)

    def try_git(
        self, *arguments: str | bytes, cwd: Path | None = None, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.top,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )

    def git(self, *arguments: str | bytes, cwd: Path | None = None, stdin: str = "") -> str:
        done = self.try_git(*arguments, cwd=cwd, stdin=stdin)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def write(self, path: str | bytes, text: str = "x\n") -> None:
        whole = Path(os.fsdecode(os.path.join(os.fsencode(self.top), os.fsencode(path))))
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(text)

    def commit(self, message: str, *paths: str) -> str:
        for path in paths:
            self.write(path, f"{message}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def hook(self, kind: str, text: str, mode: int = 0o755) -> Path:
        path = self.top / ".git" / "hooks" / kind
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path


@pytest.fixture
def make_code(tmp_path: Path) -> Callable[[str], Code]:
    def make(name: str) -> Code:
        top = tmp_path / name
        top.mkdir(parents=True)
        code = Code(top)
        code.git("init", "-q")
        return code

    return make


@pytest.fixture
def code(make_code: Callable[[str], Code]) -> Code:
    """A repository with one commit of src/a.py, src/b.py and docs/x.md."""
    made = make_code("code")
    made.commit("first", "src/a.py", "src/b.py", "docs/x.md")
    return made


@pytest.fixture(scope="session")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter at an awkward path that imports gitmail from here under `-I`."""
    folder = tmp_path_factory.mktemp('it\'s a "venv" $HOME')
    venv.create(folder, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    paths = [ROOT, ROOT / "hooks", ROOT / "server", Path(sysconfig.get_path("purelib"))]
    (site / "gitmail.pth").write_text("\n".join(map(str, paths)) + "\n")
    return str(folder / "bin" / "python")
