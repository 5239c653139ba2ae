"""Dark chess for other programs: one module for each, imported by name because most need an optional package.

* :mod:`~murk.darkchess.adapters.game`: a :class:`~murk.games.protocol.Game`, so that small endgames are solved exactly;
* :mod:`~murk.darkchess.adapters.open_spiel`: the OpenSpiel game ``murk_dark_chess``, and histories of OpenSpiel's own
  ``dark_chess`` (extra ``openspiel``);
* :mod:`~murk.darkchess.adapters.python_chess`: a variant board for python-chess (extra ``chess``);
* :mod:`~murk.darkchess.adapters.petting_zoo`: a PettingZoo environment (extra ``pettingzoo``).

:mod:`~murk.darkchess.adapters.actions` numbers the moves and :mod:`~murk.darkchess.adapters.planes` draws what a player
sees as arrays, both for programs that learn.
"""
