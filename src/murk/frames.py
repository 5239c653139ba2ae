"""Tables for pandas, which is imported on first use and is not a dependency of anything else."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from murk.errors import MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["make_frame"]


def make_frame(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> "pd.DataFrame":
    """Return a pandas table.

    Raises:
        MissingDependencyError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            "a table needs pandas, which is not installed: pip install 'murk[frames]'"
        ) from None
    return pd.DataFrame(list(rows), columns=list(columns))
