"""``python -m games.sandbox``: print what the sandbox of this machine is made of."""

from __future__ import annotations

import sys

from games.engine import EngineError
from games.sandbox.report import diagnose


def main() -> int:
    """0 when some jail works, 1 when none does or a setting is wrong."""
    try:
        report = diagnose()
    except EngineError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(report.lines()))
    return 0 if report.level is not None else 1


if __name__ == "__main__":
    sys.exit(main())
