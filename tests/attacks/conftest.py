"""The fixtures that these tests share with others; see post_office_fixtures."""

from post_office_fixtures import forge, path, store, template

__all__ = ["forge", "path", "store", "template"]
