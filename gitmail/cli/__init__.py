"""The command line: translates arguments in, results and errors out."""
