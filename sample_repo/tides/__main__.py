"""`python -m tides`."""

import sys

from tides.cli import main

if __name__ == "__main__":
    sys.exit(main())
