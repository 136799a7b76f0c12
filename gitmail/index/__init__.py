"""The disposable SQLite index: lists, counts and search. SQLite is this package's secret."""
