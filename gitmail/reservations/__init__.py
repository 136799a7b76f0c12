"""Use cases of reservations: who works on which paths."""
