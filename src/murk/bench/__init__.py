"""Measurements of murk beside its peers: ``murk bench``.

Nothing here is imported by the library. ``measure`` takes times, ``peers`` knows how the other programs are called,
``solvers`` has the cases and the metrics, ``report`` the rows and what becomes of them.
"""
