#!/usr/bin/env bash
# confound.torch on a GPU, in a few minutes: PyTorch's own streams and events, the same sizes through the library's own
# backend, the staging loop, the guard inside pytest, and what goes wrong. Prints Markdown; records go to a folder.
#   usage: bench/hardware_torch.sh [DEVICE]       DEVICE: cuda, cuda:1, xpu, … (cuda)
#   PYTHON=PROGRAM          a Python with PyTorch, and pytest for the guard (python3)
#   WHEEL=FILE              the wheel that is tried (the one in build/dist, which `./dev wheel` makes)
#   HARDWARE_OUT=FOLDER     where the records go (build/hardware/torch)
#   CONFOUND_ROUNDS=N       at most N rounds a row (60)
#   ROWS="copy kv"          only rows whose names hold one of these
# Exit status: 77 where there is no such device or no PyTorch, 5 where a row failed.
set -uo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
device=${1:-cuda}
python=${PYTHON:-python3}
rounds=${CONFOUND_ROUNDS:-60}
out=${HARDWARE_OUT:-$root/build/hardware/torch}
wheels=("$root"/build/dist/confound-*.whl)
wheel=${WHEEL:-${wheels[0]}}
failed=0
unset CONFOUND_LIBRARY CONFOUND_ROUNDS

say() {
    printf 'hardware: %s\n' "$*" >&2
}

mkdir -p "$out" || exit 5
site=$(mktemp -d) || exit 5
trap 'rm -rf "$site"' EXIT
"$python" -m zipfile -e "$wheel" "$site" || exit 5
export PYTHONPATH=$site
cd "$site" || exit 5

wanted() { # NAME
    local part
    [[ ${ROWS:-} && $1 != probe ]] || return 0
    for part in $ROWS; do
        [[ $1 != *"$part"* ]] || return 0
    done
    return 1
}

# row NAME COMMAND…: what it prints goes to NAME.txt; 4 = there is no such thing here.
row() {
    local name=$1 status
    shift
    wanted "$name" || return 0
    timeout 150 "$@" >"$out/$name.txt" 2>&1
    status=$?
    case $status in
    0) ;;
    4) say "$name: skipped: $(tail -n 1 "$out/$name.txt")" ;;
    *)
        say "$name: FAILED with $status"
        tail -n 15 "$out/$name.txt" >&2
        failed=1
        ;;
    esac
    return $status
}

# expect NAME STATUS COMMAND…: it ends with that status and one line.
expect() {
    local name=$1 wanted=$2 status said
    shift 2
    said=$(timeout 150 "$@" 2>&1 >/dev/null)
    status=$?
    [[ $status == "$wanted" && $said != *Traceback* ]] || failed=1
    printf '| %s | %s | %s | %s |\n' "$name" "$wanted" "$status" "$(tail -n 1 <<<"$said" | cut -c 1-150 | tr '|' '/')"
}

torch=("$python" -m confound.torch --device "$device" --rounds "$rounds" -v)
row probe "${torch[@]}" --rounds 1 --instruments "" -q
[[ $? != 4 ]] || exit 77
row default "$python" -m confound.torch --device "$device" -o "$out/default.json"
row copy-8MiB "${torch[@]}" --bytes 8MiB --instruments "sync timing profiler" -o "$out/copy-8MiB.json"
row copy-calibrated "${torch[@]}" --at-least 0.9 -o "$out/copy-calibrated.json"
row copy-pageable "${torch[@]}" --bytes 8MiB --memory pageable -o "$out/copy-pageable.json"
row kv-staging "${torch[@]}" --job kv-staging --instruments "sync timing profiler" -o "$out/kv-staging.json"
row c-8MiB "$python" -m confound --device "$device" --set lane.a.bytes=8MiB --rounds "$rounds" -v -o "$out/c-8MiB.json"

cat >sleepers.py <<'END'
"""Two callables of a caller's own: kernels of one block on both streams."""
import sys
import torch
import confound.torch

def sleep(stream):
    torch.cuda._sleep(300_000)

result = confound.torch.measure(sleep, sleep, device=sys.argv[1], instruments="sync timing profiler", path=sys.argv[2],
                                rounds=int(sys.argv[3]), name="one-block-kernels", labels=("kernel of one block", "kernel of one block"))
print(result.report("text", verbose=True))
END
for connections in 1 8; do
    row "kernels-connections-$connections" env CUDA_DEVICE_MAX_CONNECTIONS=$connections "$python" sleepers.py "$device" \
        "$out/kernels-connections-$connections.json" "$rounds"
done

cat >table.py <<'END'
import os, sys
import confound
for name in sys.argv[2:]:
    path = os.path.join(sys.argv[1], name + ".json")
    if not os.path.exists(path):
        continue
    judgement = confound.Record.read(path).judge()
    c = judgement.control
    ms = "/".join("-" if t is None else f"{t:.2f}" for t in (c.a_ms, c.b_ms, c.ab_ms, c.submit_ms))
    for v in judgement:
        effect = f"{v.effect} {v.delta}" if v.effect else ""
        print(f"| {name} | {v.name} | {v.overlap} | {v.reading} | {effect} | {'' if v.armed is None else v.armed} | "
              f"{'' if v.seen is None else round(v.seen, 2)} | {ms if v is c else ''} | {' '.join(v.because)} |")
    print(f"| {name} | **{judgement.verdict}** | {judgement.rounds} rounds | {' '.join(judgement.invalid_because)} "
          "| | | | | |")
END
echo "| run | variant | overlap | reading | effect | armed | seen | none: A/B/AB/submit ms | because |"
echo "|---|---|---|---|---|---|---|---|---|"
"$python" table.py "$out" default copy-8MiB c-8MiB copy-calibrated copy-pageable kv-staging kernels-connections-1 \
    kernels-connections-8 || failed=1

cat >test_guard.py <<'END'
import os
import pytest
import torch
import confound.torch

DEVICE = os.environ["DEVICE"]
host = torch.empty(8 << 20, dtype=torch.uint8, pin_memory=True)
target = torch.empty(8 << 20, dtype=torch.uint8, device=DEVICE)
x = torch.ones((2048, 2048), dtype=torch.float16, device=DEVICE)
z = torch.empty_like(x)
streams = [getattr(torch, DEVICE.partition(":")[0]).Stream() for _ in range(2)]

def copies(stream):
    with torch.cuda.stream(stream):
        for _ in range(16):
            target.copy_(host, non_blocking=True)

def matmuls(stream):
    with torch.cuda.stream(stream):
        for _ in range(80):
            torch.mm(x, x, out=z)

def test_two_streams_overlap(check_overlap):
    a, b = streams
    check_overlap(lambda: copies(a), lambda: matmuls(b), at_least=0.7, wait=(a.synchronize, b.synchronize))

def test_one_stream_does_not(check_overlap):
    a, _ = streams
    check_overlap(lambda: copies(a), lambda: matmuls(a), at_least=0.7, wait=a.synchronize)

@pytest.mark.confound_overlap(at_least=0.7, rounds=5, wait=torch.cuda.synchronize)
def test_five_rounds_are_too_few():
    a, b = streams
    return lambda: copies(a), lambda: matmuls(b)
END
echo
if ! wanted guard; then
    say "guard: left out"
elif "$python" -c "import pytest" 2>/dev/null; then
    DEVICE=$device timeout 200 "$python" -m pytest -p no:cacheprovider -rA --confound-records="$out/guard" test_guard.py \
        >"$out/guard.txt" 2>&1
    echo "guard (wanted: 1 failed, 1 passed, 1 skipped): $(tail -n 1 "$out/guard.txt")"
    [[ $(tail -n 1 "$out/guard.txt") == *"1 failed, 1 passed, 1 skipped"* ]] || failed=1
    grep -E "inconclusive|less than" "$out/guard.txt" | cut -c 1-200
else
    say "guard: skipped: no pytest here"
fi
if wanted errors; then
    echo
    echo "| what goes wrong | status wanted | got | said |"
    echo "|---|---|---|---|"
    expect "no such index" 4 "${torch[@]}" --device cuda:9
    expect "no such kind" 4 "${torch[@]}" --device warp
    [[ $device == xpu* ]] || expect "no XPU" 4 "${torch[@]}" --device xpu
    expect "device out of memory" 5 "${torch[@]}" --matmul-size 400000
    expect "not decided" 3 "${torch[@]}" --rounds 3 --at-least 0.9
fi
wanted default && cat "$out/default.txt"
tar -C "$out" -czf "$out.tar.gz" . && say "records: $out.tar.gz"
exit $((failed ? 5 : 0))
