"""Use cases of mail: send, receive, read, acknowledge, list."""
