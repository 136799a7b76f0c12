"""One module a command (or a small group); each has a click command named `command`."""
