"""Git hooks and agent-host hooks; the fast paths import neither mcp nor GitPython."""
