"""The file format (docs/format.md): bytes to values and back. Pure."""
