"""`python -m drac`."""

from drac.cli import main

if __name__ == "__main__":
    main()
