"""python -m confound."""

import json
import subprocess
import sys
import textwrap

import pytest

import confound


def run(*arguments, module="confound", **more):
    return subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, timeout=300, **more)


def test_the_experiment_runs_on_the_embedded_device_and_prints_the_table():
    """In real time: whatever the machine's load, the reference is there and no wrong verdict."""
    done = run("--rounds", "12")
    assert done.returncode == 0, done.stderr
    assert "on soft (simulated)" in done.stdout and "one-queue" in done.stdout
    assert done.stderr == ""


def test_record_judgement_and_page_go_where_they_are_sent(tmp_path):
    record, judgement, page = (tmp_path / name for name in ("r.json", "j.json", "p.html"))
    done = run("--device", "sim", "-o", str(record), "--json", str(judgement), "--html", str(page), "-q")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("CONFOUNDED\n")
    assert json.loads(judgement.read_text()) == confound.Record.read(record).judge().to_dict()
    assert page.read_text().lower().startswith("<!doctype html>")
    assert json.loads(run("--device", "sim", "--json", "-").stdout)["verdict"] == "confounded"


@pytest.mark.parametrize("arguments, status, text", [
    (["--expect", "confounded"], 0, ""),
    (["--expect", "clear"], 1, "expected clear, found confounded"),
    (["--expect", "confounded", "--rounds", "5"], 3, "expected confounded, found inconclusive"),
    (["--at-least", "0.9"], 0, ""),
    (["--at-least", "0.5", "--set", "lane.b.op=h2d"], 1, "less than 0.5"),
    (["--at-least", "0.5", "--rounds", "5"], 3, "can't tell"),
    (["--set", "lane.a.nonsense=1"], 2, "nonsense"),
    (["--margin", "7"], 2, "margin 7"),
    (["--rounds", "x"], 2, "--rounds"),
    (["no/such/job.ini"], 2, "no/such/job.ini"),
    (["-o", "no/such/folder/r.json"], 2, "no/such/folder"),
    (["--json", "no/such/folder/j.json"], 2, "no/such/folder"),
    (["--html", "no/such/folder/p.html"], 2, "no/such/folder"),
])
def test_exit_statuses_are_those_of_the_program(arguments, status, text):
    done = run("--device", "sim", *arguments)
    assert done.returncode == status, done.stderr
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_no_such_device_is_4():
    done = run("--device", "warp")
    assert done.returncode == 4 and "warp" in done.stderr


def test_an_interrupt_shows_what_there_is(tmp_path):
    program = textwrap.dedent("""
        import os, signal, sys
        import confound._run
        from confound.__main__ import main

        def progress(phase, done, most):
            if phase == "rounds" and done == 2:
                os.kill(os.getpid(), signal.SIGINT)

        confound._run._progress_of = lambda given: progress
        sys.exit(main(["--rounds", "120", "-o", sys.argv[1]]))
    """)
    path = tmp_path / "record.json"
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 130
    rounds = confound.Record.read(path).rounds
    assert 2 <= rounds <= 3
    assert done.stderr == f"confound: interrupted after {rounds} rounds\n"
    assert "on soft (simulated)" in done.stdout


# ---- judge and report ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "r.json"
    confound.run_job(device="sim", seed=7, path=path)
    return path


def test_judge_says_of_a_record_what_the_run_said(record):
    done = run("judge", str(record), "--json", "-")
    assert done.returncode == 0, done.stderr
    assert done.stdout == confound.Record.read(record).judge().json
    table = run("judge", str(record)).stdout
    assert "on sim (simulated)" in table and "CONFOUNDED" in table
    piped = run("judge", "-", "--json", "-", input=record.read_text())
    assert piped.stdout == done.stdout


@pytest.mark.parametrize("arguments, status, text", [
    (["--expect", "confounded"], 0, ""),
    (["--expect", "clear"], 1, "expected clear, found confounded"),
    (["--at-least", "0.9"], 0, ""),
    (["--margin", "0"], 2, "margin 0"),
    (["--json", "no/such/folder/j.json"], 2, "no/such/folder"),
])
def test_judge_has_the_exit_statuses_of_the_program(record, arguments, status, text):
    done = run("judge", str(record), *arguments)
    assert done.returncode == status, done.stderr
    assert text in done.stderr and "Traceback" not in done.stderr


def test_a_margin_of_its_own_is_judged_by(record):
    done = run("judge", str(record), "--margin", "0.3", "--json", "-")
    assert done.stdout == confound.Record.read(record).judge(0.3).json


def test_report_shows_a_record_in_every_form(record, tmp_path):
    read = confound.Record.read(record)
    assert run("report", str(record), "--format", "markdown").stdout == read.report("markdown", path=record)
    assert run("report", str(record), "--format", "csv").stdout == read.report("csv")
    assert run("report", str(record), "--format", "json").stdout == read.judge().json
    page, text = tmp_path / "p.html", tmp_path / "t.txt"
    assert run("report", str(record), "--html", str(page)).stdout == ""
    assert page.read_text().lower().startswith("<!doctype html>")
    assert run("report", str(record), "-o", str(text)).stdout == ""
    assert "CONFOUNDED" in text.read_text()


@pytest.mark.parametrize("command", ["judge", "report"])
def test_a_record_that_is_not_there_or_none_is_2(command, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    for name in ("none.json", "bad.json"):
        done = run(command, str(tmp_path / name))
        assert done.returncode == 2 and name in done.stderr and done.stderr.count("\n") == 1
