"""Credentials that somebody wrote into a letter or a note: found before anything is written.

What a commit holds stays in history, so a text with a recognisable credential is refused (contract:
send, secrets). Recognisable means a published, fixed shape: a cloud key, a token with its issuer's
prefix, a private key block. Nothing is judged by randomness or by words such as "password": prose,
hashes, UUIDs and paths pass. Why a table and not a library: docs/dependencies.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from gitmail.errors import Refused


@dataclass(frozen=True, slots=True)
class SecretKind:
    """One shape of credential: `name` for people, `marker` its fixed part, `pattern` the whole.

    A text without the marker is never searched, which keeps an ordinary send cheap. Alternative
    markers are separated by a space; they are compared with regard to case. No pattern may need
    more than a bounded look ahead from each start: a letter may hold 256 KiB of anything.
    """

    name: str
    marker: str
    pattern: str

    def within(self, text: str) -> bool:
        """Tell whether `text` holds a credential of this kind."""
        if not any(marker in text for marker in self.marker.split(" ")):
            return False
        return _compiled(self.pattern).search(text) is not None


KINDS = (
    SecretKind("AWS access key", "AKIA ASIA", r"\bA(?:KIA|SIA)[A-Z0-9]{16}\b"),
    SecretKind(
        "AWS secret key",
        "secret_access_key SECRET_ACCESS_KEY secretAccessKey SecretAccessKey",
        r"(?i)secret_?access_?key[\"']?\s*[:=]\s*[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])",
    ),
    SecretKind("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    SecretKind("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b"),
    SecretKind("GitLab token", "glpat-", r"\bglpat-[\w-]{20,}"),
    SecretKind("GitLab token", "glrt- gldt- glcbt- glptt-", r"\bgl(?:rt|dt|cbt|ptt)-[\w-]{20,}"),
    SecretKind("Bitbucket token", "ATBB", r"\bATBB[A-Za-z0-9]{24,}\b"),
    SecretKind("Atlassian token", "ATATT3", r"\bATATT3[\w=-]{60,}"),
    SecretKind("Slack token", "xox", r"\bxox[abeoprs]-(?:[0-9]+-)+[A-Za-z0-9-]{10,}"),
    SecretKind("Slack token", "xapp-", r"\bxapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{32,}"),
    SecretKind(
        "Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,}",
    ),
    SecretKind(
        "Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{17,}/[\w-]{60,}"
    ),
    SecretKind("Discord bot token", ".", r"\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])"),
    SecretKind("Telegram bot token", ":AA", r"\b[0-9]{8,10}:AA[\w-]{33}(?![\w-])"),
    SecretKind("Stripe key", "k_live_ k_test_", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}\b"),
    SecretKind("Stripe webhook secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/]{32,}"),
    SecretKind("Square token", "sq0", r"\bsq0(?:atp|csp|idp)-[\w-]{22,}"),
    SecretKind(
        "Shopify token", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"
    ),
    SecretKind("Google API key", "AIza", r"\bAIza[\w-]{35}(?![\w-])"),
    SecretKind("Google OAuth secret", "GOCSPX-", r"\bGOCSPX-[\w-]{28}(?![\w-])"),
    SecretKind("Google OAuth token", "ya29.", r"\bya29\.[\w-]{40,}"),
    SecretKind("Azure storage key", "AccountKey=", r"\bAccountKey=[A-Za-z0-9+/]{86}=="),
    SecretKind("OpenAI key", "T3BlbkFJ", r"\bsk-[\w-]{0,160}?T3BlbkFJ[\w-]{20,}"),
    SecretKind(
        "OpenAI key", "sk-proj- sk-svcacct- sk-admin-", r"\bsk-(?:proj|svcacct|admin)-[\w-]{40,}"
    ),
    SecretKind("Anthropic key", "sk-ant-", r"\bsk-ant-[a-z0-9]+-[\w-]{40,}"),
    SecretKind("OpenRouter key", "sk-or-", r"\bsk-or-v1-[a-f0-9]{64}\b"),
    SecretKind(
        "API key (sk-)", "sk-", r"(?<![\w-])sk-(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32,64}(?![\w-])"
    ),
    SecretKind("Groq key", "gsk_", r"\bgsk_[A-Za-z0-9]{48,}\b"),
    SecretKind("xAI key", "xai-", r"\bxai-[A-Za-z0-9]{60,}\b"),
    SecretKind("Perplexity key", "pplx-", r"\bpplx-[A-Za-z0-9]{40,}\b"),
    SecretKind("Replicate token", "r8_", r"\br8_[A-Za-z0-9]{37}\b"),
    SecretKind("Hugging Face token", "hf_", r"\bhf_[A-Za-z]{34}\b"),
    SecretKind("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    SecretKind("PyPI token", "pypi-AgEI", r"\bpypi-AgEI[\w-]{50,}"),
    SecretKind("RubyGems key", "rubygems_", r"\brubygems_[a-f0-9]{48}\b"),
    SecretKind("Docker token", "dckr_", r"\bdckr_(?:pat|oat)_[\w-]{27,}"),
    SecretKind("SendGrid key", "SG.", r"\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])"),
    SecretKind("Mailchimp key", "-us", r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"),
    SecretKind("Twilio key", "SK", r"\bSK[0-9a-f]{32}\b"),
    SecretKind("DigitalOcean token", "_v1_", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    SecretKind("HashiCorp Vault token", "hvs. hvb.", r"\bhv[sb]\.[\w-]{24,}"),
    SecretKind("Terraform Cloud token", ".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}"),
    SecretKind("Databricks token", "dapi", r"\bdapi[a-f0-9]{32}\b"),
    SecretKind("Grafana token", "glsa_ glc_", r"\bgl(?:sa|c)_[A-Za-z0-9+/_=]{32,}"),
    SecretKind("Linear key", "lin_", r"\blin_(?:api|oauth)_[A-Za-z0-9]{40,}\b"),
    SecretKind("Notion token", "ntn_", r"\bntn_[A-Za-z0-9]{43,}\b"),
    SecretKind("Figma token", "figd_", r"\bfigd_[\w-]{40,}"),
    SecretKind("Fly.io token", "fo1_ fm2_", r"\b(?:fo1_[\w-]{43}|fm2_[A-Za-z0-9+/=]{100,})"),
    SecretKind("Supabase key", "sbp_ sb_secret_", r"\b(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,})"),
    SecretKind("JSON web token", "eyJ", r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}"),
    SecretKind("age secret key", "AGE-SECRET-KEY-", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b"),
    SecretKind(
        "private key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    ),
    SecretKind("private key", "PuTTY-User-Key-File-", r"PuTTY-User-Key-File-[23]: .{1,40}\s"),
)


def find_secret(text: str) -> SecretKind | None:
    """Return the kind of the first recognisable credential in `text`, None without one."""
    return next((kind for kind in KINDS if kind.within(text)), None)


def refuse_secrets(fields: Mapping[str, str | None]) -> None:
    """Refuse the call if a field holds a recognisable credential; None is a field not given.

    Raises Refused `secret_like` naming the field and the kind, never the value. Called before
    anything is written.
    """
    for field, kind in _found(fields):
        raise Refused(
            "secret_like",
            f"{field} holds what looks like a credential ({kind.name}); nothing was written.",
            "Take it out and say where it is kept instead; if it is real, revoke it.",
            field=field,
            kind=kind.name,
        )


def _found(fields: Mapping[str, str | None]) -> Iterator[tuple[str, SecretKind]]:
    for field, text in fields.items():
        kind = find_secret(text) if text else None
        if kind is not None:
            yield field, kind


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile on first need: of the table above an ordinary process needs two or three."""
    return re.compile(pattern, re.ASCII)
