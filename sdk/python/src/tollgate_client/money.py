"""Amounts are decimal strings of an integer number of micros, millionths of a dollar.

These helpers go between them and dollars without a floating-point number in between, so no amount is ever rounded.
"""

from __future__ import annotations

import re


def dollars(amount: str) -> str:
    """Dollars as micros: `dollars("0.25")` is `"250000"`.

    `amount` has at most six decimals, like `"20"`, `"0.000001"` or `"-1.5"`.

    Raises ValueError when it is no such number.
    """
    match = re.fullmatch(r"(-?)([0-9]+)(?:\.([0-9]{1,6}))?", amount)
    if match is None:
        raise ValueError(f"{amount!r} is no amount of dollars with at most six decimals")
    sign, whole, decimals = match.group(1, 2, 3)
    micros = int(whole + (decimals or "").ljust(6, "0"))
    return str(-micros if sign else micros)


def format_micros(micros: str | int) -> str:
    """Micros as dollars, with all digits that are not zero and at least two decimals.

    `format_micros("250000")` is `"$0.25"`, `format_micros(-1)` is `"-$0.000001"`.

    Raises ValueError when it is no integer.
    """
    if isinstance(micros, str) and not re.fullmatch("-?[0-9]+", micros):
        raise ValueError(f"{micros!r} is no integer number of micros")
    amount = int(micros)
    digits = str(abs(amount)).rjust(7, "0")
    decimals = re.sub("0{1,4}$", "", digits[-6:])
    return f"{'-' if amount < 0 else ''}${digits[:-6]}.{decimals}"
