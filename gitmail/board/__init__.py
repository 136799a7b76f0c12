"""Use cases of the board: agents, presence, parks."""
