"""Use cases of memories: store, search, consolidate."""
