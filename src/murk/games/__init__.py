"""Games: the protocols, the built-in games, and the ways in from OpenSpiel, Gambit and Python."""
