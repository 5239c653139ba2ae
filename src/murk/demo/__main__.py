"""``python -m murk.demo``."""

import sys

from murk.demo import main

if __name__ == "__main__":
    sys.exit(main())
