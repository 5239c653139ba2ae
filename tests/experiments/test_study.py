"""Running rows: the same in any number of processes, kept on disk, resumed, and thrown away when they are stale."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from murk.errors import BackendError, InputError
from murk.experiments import cache as cache_module
from murk.experiments.cache import code_digest, read_row, row_key, write_row
from murk.experiments.games import chosen
from murk.experiments.study import Task, run
from murk.experiments.table1 import tasks


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MURK_CACHE_DIR", str(tmp_path))
    return tmp_path / "rows"


def slow_square(*, number: int, seconds: float, report: Any) -> dict[str, Any]:
    report(0.5)
    time.sleep(seconds)
    return {"number": number, "square": number * number}


def dying(*, report: Any) -> dict[str, Any]:
    os._exit(3)


def failing(*, report: Any) -> dict[str, Any]:
    raise InputError("one clear sentence")


def squares(count: int, seconds: float = 0.0) -> list[Task]:
    return [Task(slow_square, {"number": i, "seconds": seconds}, f"square {i}") for i in range(count)]


def rows(listed: list[Task], **options: Any) -> list[dict[str, Any]]:
    done = dict(run(listed, **options))
    return [done[index] for index in sorted(done)]


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("seconds", "cached")}


def test_rows_are_the_same_in_two_processes():
    listed = tasks(chosen(["kuhn", "dark_hex", "goofspiel_increasing"]))
    alone, shared = rows(listed, cache=False), rows(listed, cache=False, jobs=2)
    assert len(alone) == 6
    assert [without_times(row) for row in alone] == [without_times(row) for row in shared]


def test_rows_are_kept_and_taken_from_disk(kept: Path):
    first = rows(squares(3))
    assert [row["cached"] for row in first] == [False] * 3
    assert len(list(kept.iterdir())) == 3
    again = rows(squares(4))
    assert [row["cached"] for row in again] == [True, True, True, False]
    assert [without_times(row) for row in first] == [without_times(row) for row in again[:3]]
    assert [row["cached"] for row in rows(squares(3), cache=False)] == [False] * 3


def test_what_was_done_before_an_interrupt_is_kept():
    def interrupt(index: int, part: float) -> None:
        if index == 2:
            raise KeyboardInterrupt

    done: list[int] = []
    work = run(squares(5), progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        done.extend(index for index, _ in work)
    assert done == [0, 1]
    assert [row["cached"] for row in rows(squares(5))] == [True, True, False, False, False]


def test_processes_stop_at_once_when_the_work_is_cut_short():
    work = run(squares(4, seconds=30.0), jobs=2, progress=lambda index, part: pytest.fail("stop here"))
    started = time.monotonic()
    with pytest.raises(pytest.fail.Exception):
        next(work)
    assert time.monotonic() - started < 20


def test_a_spoilt_file_is_computed_again(kept: Path, caplog: pytest.LogCaptureFixture):
    rows(squares(2))
    for path in kept.iterdir():
        path.write_text(path.read_text()[:20])
    assert [row["cached"] for row in rows(squares(2))] == [False, False]
    assert "spoilt" in caplog.text
    assert [row["cached"] for row in rows(squares(2))] == [True, True]


def test_a_file_of_another_key_is_not_believed(kept: Path):
    rows(squares(1))
    (path,) = kept.iterdir()
    kept_row = json.loads(path.read_text())
    kept_row["key"]["arguments"]["number"] = 17
    path.write_text(json.dumps(kept_row))
    assert rows(squares(1))[0]["cached"] is False


def test_rows_of_other_code_games_or_solvers_are_not_used(monkeypatch: pytest.MonkeyPatch):
    key = row_key("f", {"a": 1}, "tree")
    write_row(key, {"value": 1.5})
    assert read_row(key) == {"value": 1.5}
    assert read_row(row_key("f", {"a": 2}, "tree")) is None
    assert read_row(row_key("f", {"a": 1}, "other tree")) is None
    assert read_row(row_key("g", {"a": 1}, "tree")) is None
    monkeypatch.setattr(cache_module, "code_digest", lambda: "other code")
    assert read_row(row_key("f", {"a": 1}, "tree")) is None
    assert len(code_digest()) == 32


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog):
    (tmp_path / "file").touch()
    monkeypatch.setenv("MURK_CACHE_DIR", str(tmp_path / "file"))
    assert [row["square"] for row in rows(squares(2))] == [0, 1]
    assert "not kept" in caplog.text


def test_progress_goes_from_nothing_to_all():
    seen: list[tuple[int, float]] = []
    rows(squares(3), progress=lambda index, part: seen.append((index, part)))
    assert seen == [(i, part) for i in range(3) for part in (0.5, 1.0)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_comes_out_as_it_is(jobs: int):
    listed = [*squares(1), Task(failing, {}, "failing"), *squares(1)]
    with pytest.raises(InputError, match="one clear sentence"):
        rows(listed, jobs=jobs, cache=False)


def test_a_process_that_dies_is_an_error():
    with pytest.raises(BackendError, match="process of the study died"):
        rows([Task(dying, {}, "dying"), *squares(1)], jobs=2, cache=False)


def test_jobs_are_checked():
    with pytest.raises(InputError, match="jobs is 0"):
        rows(squares(1), jobs=0)
