#!/usr/bin/env bash
# A program's own timing events, toggled on a GPU: an ordinary CUDA program (bench/inject/two_streams.cu, linked in three
# ways) and a PyTorch script, each with one hardware connection and with eight. What they print must be the same with and
# without us. Prints what came out as Markdown.
#   usage: bench/inject_hardware.sh
#   CONFOUND_BIN=PROGRAM   use this one (libconfound-inject.so beside it) and build nothing
#   CONFOUND_ROUNDS=N      rounds a row (40)
#   HARDWARE_OUT=FOLDER    where records and outputs go (build/hardware/inject)
# Exit status: 77 where there is no GPU or no nvcc, 1 where an output differs, 5 where a row failed.
set -uo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
rounds=${CONFOUND_ROUNDS:-40}
steps=$((rounds * 8 + 100))
out=${HARDWARE_OUT:-$root/build/hardware/inject}
program=${CONFOUND_BIN:-$root/build/hardware/confound}
unset CONFOUND_ROUNDS
failed=0

say() {
    printf 'inject_hardware: %s\n' "$*" >&2
}

build() {
    cmake -S "$root" -B "$root/build/hardware" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
        -DCONFOUND_STATIC_DEPS=ON >"$out/build.log" 2>&1 &&
        cmake --build "$root/build/hardware" --target confound confound-inject >>"$out/build.log" 2>&1 && return
    cat "$out/build.log" >&2
    exit 5
}

compile() {
    local source=$root/bench/inject/two_streams.cu
    nvcc -O2 -o "$out/static" "$source" && nvcc -O2 -cudart shared -o "$out/shared" "$source" &&
        nvcc -O2 -DDRIVER -o "$out/driver" "$source" -lcuda && return
    nvcc -O2 -DDRIVER -o "$out/driver" "$source" -L"$(dirname "$(find / -name 'libcuda.so*' -path '*stubs*' 2>/dev/null | head -n 1)")" -lcuda && return
    say "without the one that links the driver"
    rm -f "$out/driver"
}

# A judgement as written by this program: median ms and ratio of each arm.
row_of() { # JSON
    python3 - "$1" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    judgement = json.load(file)
cells = {}
for variant in judgement["variants"]:
    metric = variant["metric"]
    text = f"{metric['value']['median']:.3f}"
    if variant["effect"]:
        ratio = metric["ratio"]["median"]
        text += f" ({(ratio - 1) * 100:+.1f} %) {variant['effect']['verdict']}"
    cells[variant["name"]] = text
names = ("as-shipped", "stripped", "added", "as-shipped-again")
print("".join(f" {cells.get(name, "left out")} |" for name in names), judgement["verdict"], "|", judgement["rounds"], end=" |")
PYTHON
}

# row LABEL CONNECTIONS COMMAND…: the program alone, then toggled; what it prints is compared.
row() {
    local label=$1 connections=$2 name status plain same=same
    shift 2
    name=$out/$(printf '%s-%s' "$label" "$connections" | tr -c 'a-z0-9\n' -)
    rm -rf "$name".*
    export CUDA_DEVICE_MAX_CONNECTIONS=$connections
    "$@" >"$name.plain.out" 2>"$name.plain.err"
    plain=$?
    "$program" exec --toggle timing --rounds "$rounds" --keep "$name.kept" -o "$name.json" --json "$name.judgement.json" \
        -- "$@" >"$name.txt" 2>&1
    status=$?
    unset CUDA_DEVICE_MAX_CONNECTIONS
    cmp -s "$name.plain.out" "$name.kept/out" && cmp -s "$name.plain.err" "$name.kept/err" || same="**differs**"
    [[ $plain == 0 ]] || same="**failed alone ($plain)**"
    [[ $same == same ]] || failed=1
    if [[ $status == 0 && -s $name.judgement.json ]]; then
        printf '| %s | %s |%s %s |\n' "$label" "$connections" "$(row_of "$name.judgement.json")" "$same"
    else
        printf '| %s | %s | failed with %s: %s |\n' "$label" "$connections" "$status" "$(tail -n 1 "$name.txt")"
        sed 's/^/    /' "$name.txt" >&2
        failed=5
    fi
}

# The same program without any event of its own, by its own clock: what stripping can bring at best.
bare() { # LABEL CONNECTIONS COMMAND…
    printf '| %s, no events | %s | %s (its own clock) | | | | | | |\n' "$1" "$2" \
        "$(CUDA_DEVICE_MAX_CONNECTIONS=$2 "${@:3}" "$steps" bare)"
}

# A loader that knows nothing of layers cannot be stood in front of: one that does may be named by LD_LIBRARY_PATH.
has_layers() {
    local loader folder
    loader=$(ldconfig -p | sed -n 's/.*libOpenCL\.so\.1 .*x86-64.*=> //p' | head -n 1)
    while read -r -d : folder; do
        [[ -z $folder || ! -e $folder/libOpenCL.so.1 ]] || { loader=$folder/libOpenCL.so.1 && break; }
    done <<<"${LD_LIBRARY_PATH:-}:"
    if [[ -z $loader ]]; then
        say "without OpenCL: there is no libOpenCL.so.1"
        return 1
    fi
    grep -q OPENCL_LAYERS "$loader" && return
    say "without OpenCL: $(readlink -f "$loader") is a loader that has no layers"
    return 1
}

# What an intercepted call costs: the same program alone and with the library, in turns.
cost() {
    local folder
    for _ in 1 2 3; do
        printf 'alone:   %s\n' "$("$out/static" cost)"
        folder=$(mktemp -d)
        printf 'with us: %s\n' "$(env LD_PRELOAD="$(dirname "$program")/libconfound-inject.so" \
            CONFOUND_TOGGLE_FOLDER="$folder" "$out/static" cost)"
        rm -rf "$folder"
    done
}

mkdir -p "$out" || exit 5
[[ -e /dev/nvidia0 ]] || command -v nvidia-smi >/dev/null || { say "skipped: there is no NVIDIA GPU"; exit 77; }
command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { say "skipped: there is no nvcc"; exit 77; }
[[ -n ${CONFOUND_BIN:-} ]] || build
compile || exit 5
# shellcheck disable=SC2016
printf 'Measured on %s with `bench/inject_hardware.sh`, %s rounds a row; ms a step.\n\n' "$(date -u +%Y-%m-%d)" "$rounds"
printf '| program | connections | as-shipped | stripped | added | as-shipped-again | verdict | rounds | output |\n'
printf '|---|---|---|---|---|---|---|---|---|\n'
for connections in 1 8; do
    for way in static shared driver; do
        [[ ! -x $out/$way ]] || row "two_streams, $way" "$connections" "$out/$way" "$steps"
    done
    bare "two_streams" "$connections" "$out/static"
    if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
        row "two_streams.py" "$connections" python3 "$root/bench/inject/two_streams.py" "$steps"
        bare "two_streams.py" "$connections" python3 "$root/bench/inject/two_streams.py"
    else
        say "without PyTorch"
    fi
done
if has_layers && "${CC:-cc}" -D_GNU_SOURCE -O2 -o "$out/opencl" "$root/tests/stub/inject/opencl.c" -ldl &&
    "$out/opencl" 1 >/dev/null; then
    row "opencl.c" 8 "$out/opencl" "$steps"
fi
printf '\nThe report of the first row:\n\n'
sed 's/^/    /' "$out"/two-streams--static-1.txt
printf '\nOf the PyTorch script with one connection:\n\n'
sed 's/^/    /' "$out"/two-streams-py-1.txt 2>/dev/null
printf '\nCost of a call:\n\n'
cost | sed 's/^/    /'
exit "$failed"
