"""``python -m murk`` is the command line."""

from murk.cli import main

if __name__ == "__main__":
    main()
