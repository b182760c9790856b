"""Records and judgements, from runs on the device that is a model under a virtual clock: exact, and quick."""

import json

import pytest

import confound

JOB = "[job]\nmodel = copy-offload\n"


@pytest.fixture(scope="module")
def result():
    return confound.run_job(JOB, device="sim", seed=3)


def test_a_judgement_has_what_its_file_has(result):
    judgement, found = result.judgement, json.loads(result.judgement.json)
    assert judgement.verdict == found["verdict"] == "confounded"
    names = [v["name"] for v in found["variants"]]
    assert [v.name for v in judgement] == names
    timing = judgement["timing"]
    assert timing.effect == "confounded" and timing.reading == "serialises"
    assert timing.delta.median == found["variants"][names.index("timing")]["effect"]["delta"]["median"] < -0.9
    assert judgement.control.effect is None and judgement.control.delta is None
    assert judgement.reading == "overlaps" and judgement.overlap.low <= judgement.overlap.median <= judgement.overlap.high
    assert judgement.simulated and judgement.valid and judgement.invalid_because == ()
    with pytest.raises(KeyError, match="none, none-again, sync"):
        judgement["nothing"]


def test_a_record_is_read_as_it_was_written(result, tmp_path):
    path = tmp_path / "record.json"
    result.record.write(path)
    read = confound.Record.read(path)
    assert path.read_text() == result.record.json == read.json
    assert read.sha256 == result.record.sha256
    assert read.judge().json == result.judgement.json
    assert confound.Record.parse(read.json).sha256 == read.sha256
    assert read.judge(margin=0.5).to_dict()["settings"]["margin"] == 0.5


def test_what_is_no_record_is_refused_with_its_line(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text('{\n"schema": 3}\n')
    with pytest.raises(confound.InputError, match="broken.json:"):
        confound.Record.read(path)
    with pytest.raises(confound.InputError, match="here:"):
        confound.Record.parse(b"\0\xff", name="here")
    with pytest.raises(confound.FileError, match="nowhere"):
        confound.Record.read(tmp_path / "nowhere.json")
    with pytest.raises(confound.FileError):
        confound.Record.parse(confound.run_job(JOB, device="sim", rounds=1).record.json).write(tmp_path / "no" / "folder")


@pytest.mark.parametrize("format, holds", [
    ("text", "quote this"), ("verdict", "Timing events"), ("markdown", "| variant"), ("html", "<title>"),
    ("csv", "round,process"),
])
def test_a_report_is_the_librarys(result, format, holds):
    assert holds in result.report(format)


def test_a_report_is_of_its_own_record(result):
    other = confound.run_job(JOB, device="sim", seed=4, rounds=13)
    with pytest.raises(confound.InputError, match="another record"):
        result.record.report(judgement=other.judgement)
    with pytest.raises(confound.InputError, match="no format"):
        result.report("pdf")


def test_a_notebook_shows_the_report_and_no_markup_of_a_record():
    result = confound.measure(lambda: None, lambda: None, wait=lambda: None, labels=("<script>alert(1)</script>", "b"),
                              rounds=1)
    shown = result._repr_html_()
    assert "&lt;script&gt;" in shown and "<script" not in shown


def test_a_bound_is_decided_by_the_sequential_test(result):
    assert result.record.overlap_above(0.9) == confound.OverlapAnswer(confound.Bound.ABOVE)
    few = confound.run_job(JOB, device="sim", rounds=5).record.overlap_above(0.9)
    assert few.bound is confound.Bound.INCONCLUSIVE and few.because == "too-few-rounds" and few.meaning
    same_engine = confound.run_job(JOB, device="sim", values=["lane.b.op=h2d"], at_least=0.5)
    assert same_engine.record.overlap_above(0.5).bound is confound.Bound.BELOW
    with pytest.raises(confound.InputError):
        result.record.overlap_above(1.5)


def test_frames_of_pandas_have_a_row_a_variant_and_a_row_a_time(result):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc["timing", "effect"] == "confounded" and frame.loc["none", "overlap"] == pytest.approx(1.0)
    times = result.record.to_pandas()
    assert {"round", "variant", "cell", "wall_ns"} <= set(times.columns) and len(times) == 12 * 5 * 3 * 3


def test_a_job_with_a_mistake_is_refused_with_its_line():
    with pytest.raises(confound.InputError, match="job:2"):
        confound.run_job("[job]\nmodle = x\n", device="sim")
    with pytest.raises(confound.NoDeviceError, match="simm"):
        confound.run_job("", device="simm")
