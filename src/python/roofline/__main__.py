"""`python -m roofline` and the script `roofline`: the program itself, with the same words."""

from __future__ import annotations

import sys

from roofline._program import RooflineError, exec_program


def main() -> None:
    """Becomes the program; exits with 2 if it cannot run here."""
    try:
        exec_program(sys.argv[1:])
    except RooflineError as error:
        print(f"roofline: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
