"""Credentials that must be refused and look-alikes that must pass.

Every credential is made up and put together at run time from a prefix and a body, so that no
scanner of this repository finds one in its text.
"""

from __future__ import annotations

import base64
import random
import string

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = string.digits + "abcdef"
URLSAFE = ALNUM + "-_"


def body(alphabet: str, length: int, seed: int = 7) -> str:
    """Return a made-up token body that is the same on every run."""
    return "".join(random.Random(f"{seed}/{length}/{alphabet}").choices(alphabet, k=length))


def _segment(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _key_block(label: str) -> str:
    lines = "\n".join(body(ALNUM + "+/", 64, seed) for seed in range(6))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----"


_JWT = ".".join(
    [
        _segment('{"alg":"HS256","typ":"JWT"}'),
        _segment('{"sub":"1234567890","name":"Pat Person","iat":1516239022}'),
        body(URLSAFE, 43),
    ]
)

SECRETS: dict[str, str] = {
    "AWS access key": "AKIA" + body(UPPER.translate(str.maketrans("", "", "0189")), 16),
    "AWS temporary key": "ASIA" + body(UPPER.translate(str.maketrans("", "", "0189")), 16),
    "AWS documentation key": "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "AWS secret key": "aws_secret_access_key = " + body(ALNUM + "+/", 40),
    "GitHub personal token": "gh" + "p_" + body(ALNUM, 36),
    "GitHub OAuth token": "gh" + "o_" + body(ALNUM, 36),
    "GitHub server token": "gh" + "s_" + body(ALNUM, 36),
    "GitHub fine-grained token": "github_" + "pat_" + body(ALNUM, 22) + "_" + body(ALNUM, 59),
    "GitLab personal token": "gl" + "pat-" + body(ALNUM, 20),
    "Slack bot token": "xox"
    + "b-"
    + "-".join([body("123456789", 12), body("123456789", 12, 8), body(ALNUM, 24)]),
    "Slack webhook": "https://hooks.slack"
    + ".com/services/T"
    + body(UPPER, 10)
    + "/B"
    + body(UPPER, 10, 2)
    + "/"
    + body(ALNUM, 24),
    "Stripe live key": "sk_" + "live_" + body(ALNUM, 24),
    "Google API key": "AI" + "za" + body(URLSAFE, 35),
    "Google OAuth secret": "GOC" + "SPX-" + body(URLSAFE, 28),
    "OpenAI project key": "sk-"
    + "proj-"
    + body(URLSAFE, 74)
    + "T3Blbk"
    + "FJ"
    + body(URLSAFE, 74, 2),
    "OpenAI key": "sk-" + body(ALNUM, 20) + "T3Blbk" + "FJ" + body(ALNUM, 20, 2),
    "Anthropic key": "sk-" + "ant-api03-" + body(URLSAFE, 93) + "AA",
    "npm token": "np" + "m_" + body(ALNUM, 36),
    "PyPI token": "pypi-" + "AgEIcHlwaS5vcmc" + body(URLSAFE, 60),
    "Hugging Face token": "h" + "f_" + body(string.ascii_letters, 34),
    "SendGrid key": "S" + "G." + body(URLSAFE, 22) + "." + body(URLSAFE, 43),
    "JSON web token": _JWT,
    "Discord bot token": "M" + body(ALNUM, 23) + "." + body(ALNUM, 6) + "." + body(URLSAFE, 27),
    "Telegram bot token": body("123456789", 10) + ":AA" + body(URLSAFE, 33),
    "DigitalOcean token": "dop_" + "v1_" + body(HEX, 64),
    "Azure storage key": "AccountKey=" + body(ALNUM + "+/", 86) + "==",
    "Square token": "sq0" + "csp-" + body(URLSAFE, 43),
    "Shopify token": "shp" + "at_" + body(HEX, 32),
    "Docker token": "dckr_" + "pat_" + body(URLSAFE, 27),
    "Vault token": "hv" + "s." + body(URLSAFE, 95),
    "Databricks token": "dap" + "i" + body(HEX, 32),
    "RSA private key": _key_block("RSA " + "PRIVATE KEY"),
    "OpenSSH private key": _key_block("OPENSSH " + "PRIVATE KEY"),
    "PKCS#8 private key": _key_block("PRIVATE" + " KEY"),
    "encrypted private key": _key_block("ENCRYPTED " + "PRIVATE KEY"),
    "PGP private key": _key_block("PGP " + "PRIVATE KEY BLOCK"),
    "GitLab runner token": "gl" + "rt-" + body(URLSAFE, 20),
    "Bitbucket token": "AT" + "BB" + body(ALNUM, 28),
    "Atlassian token": "ATA" + "TT3" + body(URLSAFE, 180),
    "Slack app token": "xap"
    + "p-1-A"
    + body(UPPER, 10)
    + "-"
    + body("123456789", 13)
    + "-"
    + body(HEX, 64),
    "Discord webhook": "https://discord"
    + ".com/api/webhooks/"
    + body("123456789", 18)
    + "/"
    + body(URLSAFE, 68),
    "Stripe test key": "sk_" + "test_" + body(ALNUM, 24),
    "Stripe webhook secret": "whs" + "ec_" + body(ALNUM, 32),
    "Google OAuth token": "ya" + "29." + body(URLSAFE, 120),
    "OpenRouter key": "sk-" + "or-v1-" + body(HEX, 64),
    "an older key": "sk" + "-" + body(HEX, 32),
    "Groq key": "gs" + "k_" + body(ALNUM, 52),
    "xAI key": "xa" + "i-" + body(ALNUM, 80),
    "Perplexity key": "ppl" + "x-" + body(ALNUM, 48),
    "Replicate token": "r" + "8_" + body(ALNUM, 37),
    "RubyGems key": "rubyg" + "ems_" + body(HEX, 48),
    "Mailchimp key": body(HEX, 32) + "-" + "us12",
    "Twilio key": "S" + "K" + body(HEX, 32),
    "Terraform token": body(ALNUM, 14) + ".atlas" + "v1." + body(URLSAFE, 67),
    "Grafana token": "gl" + "sa_" + body(ALNUM, 32) + "_" + body(HEX, 8),
    "Linear key": "lin_" + "api_" + body(ALNUM, 40),
    "Notion token": "nt" + "n_" + body(ALNUM, 46),
    "Figma token": "fig" + "d_" + body(URLSAFE, 43),
    "Fly.io token": "fm" + "2_" + body(ALNUM + "+/", 200),
    "Supabase token": "sb" + "p_" + body(HEX, 40),
    "age key": "AGE-SECRET-" + "KEY-1" + body(UPPER, 58),
    "PuTTY key": "PuTTY-User-" + "Key-File-3: ssh-ed25519\nEncryption: none\nComment: pat",
}

LOOK_ALIKES: dict[str, str] = {
    "a commit": "Fixed in " + body(HEX, 40) + " on main.",
    "a short commit": "see 3f9a1c22e0",
    "a SHA-256": "sha256:" + body(HEX, 64),
    "an integrity hash": "sha512-" + body(ALNUM + "+/", 86) + "==",
    "a UUID": "8c2d1f7e-3b4a-4c5d-9e6f-0a1b2c3d4e5f",
    "a letter id": "Reply to " + body(HEX, 32) + ", please.",
    "a path": "/home/pat/projects/gitmail/server/gitmail_server/tools/messages.py",
    "a Windows path": r"C:\Users\pat\AppData\Local\Programs\Python\Python311\python.exe",
    "prose about secrets": "Never put a password or API key into a letter; rotate the token.",
    "a variable": "Set GITHUB_TOKEN=$GITHUB_TOKEN and OPENAI_API_KEY from the vault.",
    "a placeholder": "token: ghp_xxxx, key: sk-..., AKIA<16 characters>",
    "a masked password": "password: ********",
    "a password in a test": 'assert login(user="pat", password="correct horse")',
    "a public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"
    + body(ALNUM + "+/", 42)
    + " pat@example.com",
    "a public key block": "-----BEGIN PUBLIC KEY-----\n"
    + body(ALNUM + "+/", 64)
    + "\n-----END PUBLIC KEY-----",
    "a certificate": "-----BEGIN CERTIFICATE-----\n"
    + body(ALNUM + "+/", 64)
    + "\n-----END CERTIFICATE-----",
    "prose about key blocks": "The file must begin with BEGIN RSA PRIVATE KEY, see the docs.",
    "an image": "data:image/png;base64," + body(ALNUM + "+/", 200) + "==",
    "a package": "scikit-learn, sk-learn-contrib and risk-assessment-service-with-a-long-name",
    "a URL": "https://github.com/example/gitmail/pull/42/files#diff-" + body(HEX, 64),
    "a query": "https://example.com/search?q=token&page=2&session=none",
    "a slug": "20261130T200102Z-3f9a1c22-auth-refactor-needs-your-review.md",
    "a long name": "test_a_letter_with_a_very_long_name_is_refused_before_anything_is_written",
    "a constant": "AKIARA_PROJECT_HEADQUARTERS and ASIAN_MARKETS_RESEARCH_DEPT_2026",
    "a time": "2026-11-30T20:01:02.123456+00:00",
    "a version list": "filelock==4.3.1 watchdog==7.1.0 mcp==2.3.0 click==8.5.1",
    "a dotted name": "gitmail.values.recipients.distinguishing_prefixes.cache_clear",
    "a diff": "-    token = read_token(path)\n+    token = read_token(path, timeout=5)",
    "code about keys": 'aws_secret_access_key = os.environ["AWS_SECRET_ACCESS_KEY"]',
    "a cursor": body(URLSAFE, 120),
    "a hook line": "Slack: post to hooks.slack.com/services once it is configured",
}
