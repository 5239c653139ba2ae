"""The studies: every table and figure of [ZS21], beside the paper's own figures, and what lies beyond them.

Each study lists its rows as :class:`~murk.experiments.study.Task` objects; :func:`~murk.experiments.study.run`
computes them, in several processes if asked, and keeps each on disk. ``murk reproduce`` is the way in.
"""
