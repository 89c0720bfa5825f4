"""Amounts are decimal strings of integer micros, which are millionths of a dollar.

These functions convert between micros and dollars without floating-point numbers, so that no amount is rounded.
"""

from __future__ import annotations

import re


def dollars(amount: str) -> str:
    """Converts dollars to micros: `dollars("0.25")` is `"250000"`.

    `amount` has at most six decimals, like `"20"`, `"0.000001"` or `"-1.5"`.

    Raises ValueError if `amount` is not a number with at most six decimals.
    """
    match = re.fullmatch(r"(-?)([0-9]+)(?:\.([0-9]{1,6}))?", amount)
    if match is None:
        raise ValueError(f"{amount!r} is not an amount in dollars with at most six decimals")
    sign, whole, decimals = match.group(1, 2, 3)
    micros = int(whole + (decimals or "").ljust(6, "0"))
    return str(-micros if sign else micros)


def format_micros(micros: str | int) -> str:
    """Formats micros as dollars, with all significant digits and at least two decimals.

    `format_micros("250000")` is `"$0.25"`, `format_micros(-1)` is `"-$0.000001"`.

    Raises ValueError if `micros` is not an integer.
    """
    if isinstance(micros, str) and not re.fullmatch("-?[0-9]+", micros):
        raise ValueError(f"{micros!r} is not an integer number of micros")
    amount = int(micros)
    digits = str(abs(amount)).rjust(7, "0")
    decimals = re.sub("0{1,4}$", "", digits[-6:])
    return f"{'-' if amount < 0 else ''}${digits[:-6]}.{decimals}"
