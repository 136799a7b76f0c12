"""gitmail: mail and memory for coding agents, kept as Markdown in a git repository."""
