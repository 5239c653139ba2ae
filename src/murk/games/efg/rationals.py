"""Exact numbers for the `.efg` writer: from floats to short rationals, and from rationals to text.

OpenSpiel reads a rational only if both its parts are 32-bit integers, and any decimal; Gambit reads both
exactly. So a number is written as a rational if it is a short one and as a decimal otherwise.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from murk.errors import GameError

__all__ = ["exact_float", "exact_probabilities", "number_text"]

_LARGEST_DENOMINATOR = 10**6
_LARGEST_CHANCE_DENOMINATOR = 10**7
_OPENSPIEL_LIMIT = 2**31
# How far the quotient of a child's and its parent's reach, both rounded, can be from the probability.
_RELATIVE_ERROR = 4 * 2.0**-52
_TOLERANCE = 1e-6
_MOST_PLACES = 1074  # of a float


def exact_float(value: float) -> Fraction:
    """Return a fraction that converts to this very float: a short one, or else its decimal."""
    decimal = Fraction(repr(value))
    for bound in _bounds(_LARGEST_DENOMINATOR):
        candidate = decimal.limit_denominator(bound)
        if float(candidate) == value and _is_short(candidate):
            return candidate
    return decimal


def exact_probabilities(probabilities: Sequence[float]) -> list[Fraction]:
    """Return fractions that sum to exactly one, each within rounding of the float given for it.

    If some float is near no fraction with a small denominator, or those do not sum to one, the floats'
    decimals are taken and the largest makes up for the difference.
    """
    total = math.fsum(probabilities)
    if not all(0 <= p <= 1 + _TOLERANCE for p in probabilities) or abs(total - 1) > _TOLERANCE:
        raise GameError(f"chance probabilities at one node are out of range or sum to {total!r}, expected 1.")
    short = [_near(p) for p in probabilities]
    if sum(short) == 1:
        return short
    exact = [Fraction(repr(p)) for p in probabilities]
    largest = max(range(len(exact)), key=exact.__getitem__)
    exact[largest] += 1 - sum(exact)
    return exact


def number_text(number: Fraction) -> str:
    """Return the number exactly, as an integer, a rational or a decimal without exponent."""
    top, bottom = number.numerator, number.denominator
    if bottom == 1:
        return str(top)
    rational = f"{top}/{bottom}"
    return rational if _is_short(number) else _decimal_text(number) or rational


def _is_short(number: Fraction) -> bool:
    """Return whether the number is an integer or a rational that OpenSpiel can read."""
    top, bottom = abs(number.numerator), number.denominator
    return bottom == 1 or (bottom <= _LARGEST_CHANCE_DENOMINATOR and top < _OPENSPIEL_LIMIT)


def _bounds(largest: int) -> list[int]:
    return [10**power for power in range(len(str(largest)))]


def _near(value: float) -> Fraction:
    """Return the fraction with the smallest denominator, by powers of ten, within rounding of ``value``."""
    decimal = Fraction(repr(value))
    for bound in _bounds(_LARGEST_CHANCE_DENOMINATOR):
        candidate = decimal.limit_denominator(bound)
        if abs(float(candidate) - value) <= _RELATIVE_ERROR * value:
            return candidate
    return decimal


def _decimal_text(number: Fraction) -> str | None:
    """Return the finite decimal expansion of the number, or ``None`` if it has none of usable length."""
    twos = (number.denominator & -number.denominator).bit_length() - 1
    rest = number.denominator >> twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest != 1:
        return None
    places = max(twos, fives)
    if places > _MOST_PLACES:
        return None
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"
