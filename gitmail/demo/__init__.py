"""`gitmail demo`: three agents play a real correspondence in a fresh copy of the sample project."""
