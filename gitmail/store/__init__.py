"""The store: one way to write, views that follow main."""
