"""Values and pure rules: no clock, no disk, no process (docs/architecture.md)."""
