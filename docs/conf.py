"""Sphinx configuration."""

import importlib.metadata

project = "murk"
author = "The murk authors"
copyright = "2026, The murk authors"
release = importlib.metadata.version("murk")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build", "pictures.py"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"

html_theme = "furo"
html_title = f"murk {release}"
