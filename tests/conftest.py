"""What all tests share: a cache directory of their own, a Ctrl-C that works, and how hypothesis searches.

Set ``HYPOTHESIS_PROFILE=explore`` to try other and more examples than those every run tries.
"""

import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    folder = tempfile.mkdtemp(prefix="murk-tests-")
    os.environ["MURK_CACHE_DIR"] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    # A shell that starts the tests in the background has them, and all they start, ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
