"""The environment that git processes get, and the one that entry points keep.

Inside a git hook, or under a tool that drives git, variables such as `GIT_DIR`, `GIT_INDEX_FILE`
and `GIT_OBJECT_DIRECTORY` name *another* repository, and git honours them above anything on its
command line. So nothing that begins with `GIT_` reaches a git process of ours unless it is named
here (design: "Writing", environment).
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping

LOCAL_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""What `git rev-parse --local-env-vars` names. Informative: every other `GIT_*` goes as well."""

PASSED_ON = frozenset(
    {
        "GIT_ALLOW_PROTOCOL",
        "GIT_ASKPASS",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_EXEC_PATH",
        "GIT_HTTP_PROXY_AUTHMETHOD",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
    }
)
"""Kept: they say how to reach git, a remote or the user's own settings, never which repository.

`GIT_TRACE*` is not among them, since it can write to our streams, and neither is
`GIT_CONFIG_COUNT`, which can set any key for the store.
"""

PASSED_ON_PREFIXES = ("GIT_SSL_",)

QUARANTINE = frozenset(
    {"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "GIT_QUARANTINE_PATH"}
)
"""Where pre-receive finds the objects of a push that is not accepted yet. Only for that hook."""

_FIXED = {
    "LC_ALL": "C.UTF-8",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_MERGE_AUTOEDIT": "no",
}
_REPLACED = frozenset({"LANGUAGE", "PAGER"})


def _is_kept(name: str, quarantine: bool) -> bool:
    if not name.startswith("GIT_"):
        return True
    if name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES):
        return True
    return quarantine and name in QUARANTINE


def git_environment(base: Mapping[str, str], quarantine: bool = False) -> dict[str, str]:
    """Return the environment for one git process, made from `base`.

    `quarantine` keeps git's three quarantine variables, for object reads in pre-receive.
    """
    kept = {
        name: value
        for name, value in base.items()
        if name not in _REPLACED and _is_kept(name, quarantine)
    }
    return kept | _FIXED


def strip_process_environment(
    environ: MutableMapping[str, str], quarantine: bool = False
) -> dict[str, str]:
    """Remove every `GIT_*` that is not passed on from `environ`; return what was removed.

    Entry points call this first, with `os.environ`: libraries such as GitPython read it too.
    """
    removed = {name: environ[name] for name in environ if not _is_kept(name, quarantine)}
    for name in removed:
        del environ[name]
    return removed
