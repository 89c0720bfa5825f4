"""Runs programs one after the other, each in a separate module.

Reads a JSON list of programs from standard input, and writes a JSON list with the output or the error of each.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback


def ran(program: str) -> str:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "snippet", "exec"), {"__name__": "__main__"})
    except Exception:
        return traceback.format_exc()
    return printed.getvalue()


if __name__ == "__main__":
    json.dump([ran(program) for program in json.load(sys.stdin)], sys.stdout)
