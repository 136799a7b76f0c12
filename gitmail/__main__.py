"""`python -m gitmail` is the command line."""

from gitmail.cli.main import main

if __name__ == "__main__":
    main()
