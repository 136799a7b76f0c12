"""`make bench`: what gitmail costs, measured side by side with git's own ways in one run."""
