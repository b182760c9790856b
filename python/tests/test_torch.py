"""confound.torch over a stand-in for PyTorch, in real time: what the code around its streams and events does. On a busy
machine an answer may be missing; a wrong one never is. Nothing here says anything about a GPU."""

import sys

import faketorch
import pytest
from conftest import assert_reading

import confound
import confound.torch
from confound.torch import __main__ as command
from confound.torch._device import both_busy, busy

FEW = {"count": 4, "rounds": 4}
SHORT = {"size_bytes": 20_000, "rows": 256, **FEW}  # nothing is calibrated


@pytest.fixture
def torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    return faketorch.install("cuda", "xpu")


def variant(result, name):
    return next(v for v in result.record.to_dict()["variants"] if v["name"] == name)


@pytest.mark.parametrize("device", ["cuda", "xpu"])
def test_every_event_proves_that_it_was_recorded(torch, device):
    result = confound.torch.copy_compute(device, **SHORT)
    for name, each in (("sync", 2), ("timing", 1)):
        found = variant(result, name)
        assert found["armed"] is True, found
        assert found["armed_expected"] % (4 * each) == 0 and found["armed_count"] == found["armed_expected"] > 0
    assert "elapsed_time" in variant(result, "timing")["armed_how"]
    assert "PyTorch's profiler off" in variant(result, "none")["armed_how"]
    found = result.record.to_dict()
    assert found["device"]["backend"] == f"torch.{device}" and found["simulated"] is False
    assert found["device"]["facts"]["events"] == f"torch.{device}.Event"
    assert found["data_check"]["result"] == "ok", found["data_check"]


def test_copies_overlap_matmuls(torch):
    result = confound.torch.copy_compute("cuda", count=4, rounds=14)
    assert_reading(result.reading, "overlaps")
    assert_reading(result.judgement["one-queue"].reading, "serialises")


def test_timing_events_on_the_queue_of_the_matmuls_are_confounded(torch):
    faketorch.behaviour.timestamps_on = "compute"
    result = confound.torch.copy_compute("cuda", count=4, rounds=20)
    timing = result.judgement["timing"]
    assert_reading(timing.reading, "serialises")
    assert timing.effect in ("confounded", "inconclusive")
    assert result.judgement["sync"].effect in ("clear", "inconclusive")
    assert timing.armed is True


@pytest.mark.parametrize("name", ["sync", "timing"])
def test_an_instrument_that_lost_one_record_call_gets_no_answer(torch, name):
    faketorch.behaviour.lose_record = 700
    result = confound.torch.copy_compute("cuda", instruments=name, **SHORT)
    found = variant(result, name)
    assert faketorch.behaviour.records > 700
    assert found["armed"] is False and found["armed_count"] < found["armed_expected"]
    assert result.judgement[name].effect == "inconclusive" and "not-armed" in result.judgement[name].because


def test_the_profiler_is_armed_by_the_events_that_it_collected(torch):
    result = confound.torch.copy_compute("cuda", instruments=["profiler"], **SHORT)
    found = variant(result, "profiler")
    assert found["armed"] is True and found["armed_count"] == found["armed_expected"] > 0
    assert result.judgement["profiler"].seen is not None


def test_a_profiler_that_collected_nothing_gets_no_answer(torch, monkeypatch):
    monkeypatch.setattr(faketorch._Profile, "events", lambda self: [])
    result = confound.torch.copy_compute("cuda", instruments=["profiler"], **SHORT)
    assert variant(result, "profiler")["armed"] is False
    assert result.judgement["profiler"].effect == "inconclusive"


def test_a_profiler_of_the_callers_own_voids_the_control(torch):
    with torch.profiler.profile():
        result = confound.torch.copy_compute("cuda", instruments=(), **SHORT)
    assert result.verdict == "invalid" and "control-not-proven" in result.judgement.invalid_because


def test_blocks_are_attended_to_when_they_are_there(torch):
    result = confound.torch.kv_staging("cuda", tokens=100, queries=512, **FEW)
    found = result.record.to_dict()
    assert found["job"]["depends"] is True and found["data_check"]["result"] == "ok"
    assert result.judgement.best == pytest.approx(0.75, abs=0.1)


def test_a_dependency_that_is_broken_is_found(torch, monkeypatch):
    monkeypatch.setattr(faketorch.Stream, "wait_event", lambda self, event: None)
    result = confound.torch.kv_staging("cuda", tokens=1000, queries=100, **FEW)
    assert result.verdict == "invalid" and "data-wrong" in result.judgement.invalid_because
    assert "before it had arrived" in " ".join(str(result).split())


def test_two_callables_get_their_streams_current(torch):
    seen = set()

    def work(stream):
        seen.add((stream, faketorch._streams.current))
        faketorch._attention(None)

    result = confound.torch.measure(work, work, device="cuda", name="mine", labels=("x", "y"), count=20, rounds=3)
    assert len(seen) == 2 and all(given is current for given, current in seen)
    assert "20 x x beside 20 x y" in str(result)


def test_lengths_that_were_given_are_never_changed(torch):
    result = confound.torch.copy_compute("cuda", instruments=(), **SHORT)
    assert all(lane["given"] for lane in result.record.to_dict()["job"]["lanes"])
    assert result.record.to_dict()["calibration"]["tries"] == 0
    assert confound.torch.CopyCompute(confound.torch.accelerator("cuda"), 4, 20_000, 256).knobs == (None, None)


def test_threads_stand_in_for_streams_where_there_is_no_gpu(torch):
    result = confound.torch.copy_compute("cpu", count=4, rounds=3)
    assert result.record.simulated
    assert variant(result, "timing")["armed"] is True and variant(result, "sync")["armed"] is True
    result = confound.torch.kv_staging("cpu", instruments="sync", count=4, rounds=2)
    assert result.record.to_dict()["data_check"]["result"] == "ok"


def test_the_guard_holds_two_callables(torch):
    def short(stream):
        faketorch._attention(None)

    try:
        confound.torch.check_overlap(short, short, at_least=0.3, device="cuda", count=20, rounds=20)
    except confound.OverlapInconclusive:
        pass
    with pytest.raises(confound.OverlapInconclusive, match="can't tell"):
        confound.torch.check_overlap(short, short, device="cuda", rounds=5)


@pytest.mark.parametrize("device, error, text", [
    ("cuda:3", confound.NoDeviceError, "there is 1"),
    ("mps", confound.NoDeviceError, "accepted: cuda, xpu, cpu"),
    ("", confound.NoDeviceError, "accepted"),
])
def test_a_device_that_is_not_there_is_said(torch, device, error, text):
    with pytest.raises(error, match=text):
        confound.torch.accelerator(device)


def test_a_pytorch_without_that_kind_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    faketorch.install("cuda")
    with pytest.raises(confound.NoDeviceError, match="no xpu device"):
        confound.torch.accelerator("xpu")


def test_no_pytorch_is_said_with_status_4(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert command.main(["--device", "cuda"]) == 4
    assert "PyTorch cannot be imported" in capsys.readouterr().err


def test_out_of_memory_is_one_line_and_status_5(torch, capsys):
    faketorch.behaviour.memory = 1 << 20
    assert command.main(["--device", "cuda", "-q"]) == 5
    said = capsys.readouterr().err
    assert said.startswith("confound: OutOfMemoryError: CUDA out of memory.") and said.count("\n") == 1


@pytest.mark.parametrize("arguments, text", [
    (["--instruments", "sync cupti"], "no instrument 'cupti'; there is sync, timing, profiler"),
    (["--device", "cpu", "--instruments", "profiler"], "does not see the threads"),
    (["--count", "0"], "count 0"),
    (["--bytes", "0"], "0 bytes"),
    (["--matmul-size", "-1"], "matmul size -1"),
    (["--margin", "3"], "margin 3"),
])
def test_bad_input_is_one_line_and_status_2(torch, capsys, arguments, text):
    assert command.main(["-q", *arguments]) == 2
    said = capsys.readouterr().err
    assert text in said and said.count("\n") == 1


def test_the_command_prints_the_table_and_keeps_the_record(torch, capsys, tmp_path):
    path = tmp_path / "record.json"
    status = command.main(["--count", "4", "--rounds", "3", "--instruments", "sync,timing", "-o", str(path), "-v"])
    shown = capsys.readouterr().out
    assert status == 0
    assert "4 x pinned h2d copy beside 4 x matmul" in shown and "one-queue" in shown
    assert confound.Record.read(path).rounds == 3


def test_sizes_have_units():
    assert [command._size(text) for text in ("4096", "64KiB", "8MiB", "1g", "2kb")] == [4096, 65536, 8 << 20, 1 << 30, 2048]


def test_time_in_which_both_were_busy_is_that_of_the_unions():
    assert busy([(3, 4), (0, 2), (1, 2.5)]) == [(0, 2.5), (3, 4)]
    assert both_busy([(0, 2), (1, 3)], [(2, 4), (10, 11)]) == (1, 3)
    assert both_busy([], [(0, 1)]) == (0, 0)


def test_a_gpu_if_there_is_one():
    """The same on a real device, where PyTorch finds one."""
    sys.modules.pop("torch", None)
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: confound.torch is tested over a stand-in alone")
    kind = next((kind for kind in ("cuda", "xpu") if getattr(torch, kind, None) and getattr(torch, kind).is_available()),
                None)
    if kind is None:
        pytest.skip("PyTorch finds no GPU here: confound.torch is tested over a stand-in alone")
    result = confound.torch.copy_compute(kind, instruments="sync timing profiler", rounds=40)
    assert result.judgement.valid
    assert all(result.judgement[name].armed for name in ("sync", "timing", "profiler"))
    assert_reading(result.reading, "overlaps")
