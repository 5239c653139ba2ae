"""How well the values of one function agree with those of another."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scores"]


@dataclass(frozen=True)
class Scores:
    """How well values agree with targets."""

    correlation: float
    mean_absolute_error: float
    mean_squared_error: float
    positions: int

    @classmethod
    def of(cls, values: NDArray[Any], targets: NDArray[Any]) -> "Scores":
        """Compare values with targets."""
        values, targets = np.asarray(values, np.float64), np.asarray(targets, np.float64)
        if len(values) < 2 or values.std() == 0 or targets.std() == 0:
            correlation = math.nan
        else:
            correlation = float(np.corrcoef(values, targets)[0, 1])
        error = np.abs(values - targets)
        if len(values) == 0:
            return cls(math.nan, math.nan, math.nan, 0)
        return cls(correlation, float(error.mean()), float((error**2).mean()), len(values))
