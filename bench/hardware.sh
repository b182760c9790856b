#!/usr/bin/env bash
# The experiment on a GPU, in a few minutes: builds the program, runs the jobs of jobs/hardware/ and prints what came out
# as Markdown. One process for each row, because CUDA_DEVICE_MAX_CONNECTIONS is read when a process begins.
#   usage: bench/hardware.sh [DEVICE]        DEVICE: cuda, cuda:1, … (cuda)
#   CONFOUND_BIN=PROGRAM   use this one and build nothing
#   CONFOUND_ROUNDS=N      at most N rounds a row (40)
#   HARDWARE_OUT=FOLDER    where the records go (build/hardware/records)
# Exit status: 77 where there is no such device, 5 where a row failed.
set -uo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
device=${1:-cuda}
rounds=${CONFOUND_ROUNDS:-40}
out=${HARDWARE_OUT:-$root/build/hardware/records}
program=${CONFOUND_BIN:-$root/build/hardware/confound}
unset CONFOUND_ROUNDS CONFOUND_DEVICE CONFOUND_JSON CONFOUND_OUTPUT CONFOUND_SET CONFOUND_INSTRUMENTS
columns="none sync timing cupti-concurrent cupti-kernel cupti-callbacks"
failed=0

say() {
    printf 'hardware: %s\n' "$*" >&2
}

build() {
    cmake -S "$root" -B "$root/build/hardware" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
        -DCONFOUND_STATIC_DEPS=ON >"$out/build.log" 2>&1 &&
        cmake --build "$root/build/hardware" --target confound >>"$out/build.log" 2>&1 && return
    cat "$out/build.log" >&2
    exit 5
}

# What cannot be had here is left out and said, once.
probe() {
    local message status
    message=$("$program" run "$root/jobs/hardware/kernels-few-blocks.ini" --device "$device" --instruments sync \
        --rounds 1 --min-rounds 1 -q -o "$out/probe.json" 2>&1)
    status=$?
    if [[ $status == 4 ]]; then
        say "skipped: $message"
        exit 77
    elif [[ $status == 5 || $status == 2 ]]; then
        say "$message"
        exit 5
    fi
    instruments="sync timing cupti-concurrent cupti-kernel cupti-callbacks"
    message=$("$program" run "$root/jobs/hardware/kernels-few-blocks.ini" --device "$device" \
        --instruments cupti-concurrent --rounds 1 --min-rounds 1 -q -o "$out/probe.json" 2>&1)
    if [[ $? == 4 ]]; then
        say "without CUPTI: $message"
        instruments="sync timing"
    fi
    rm -f "$out/probe.json" "$out/probe.json.part"
}

# A judgement, as written by this program, becomes one row: overlap, reading; effect and its median, * = its interval
# excludes 0.
row_of() { # JSON
    awk -v columns="$columns" '
        /^      "name": / { name = $2; gsub(/[",]/, "", name) }
        /^      "overlap": / { overlap[name] = $3 + 0 }
        /^      "reading": "/ { reading[name] = $2; gsub(/[",]/, "", reading[name]) }
        /^        "verdict": / { effect[name] = $2; gsub(/[",]/, "", effect[name]) }
        /^        "measurable": true/ { star[name] = "*" }
        /^        "delta": / { delta[name] = $3 + 0 }
        /^      "armed": / { armed[name] = $2 ~ /true/ }
        END {
            n = split(columns, order, " ")
            for (i = 1; i <= n; i++) {
                v = order[i]
                if (!(v in overlap)) { printf " |"; continue }
                printf " %.3f %s", overlap[v], reading[v]
                if (v != "none") {
                    mark = effect[v] == "confounded" ? "**" : ""
                    printf "<br>%s%s%s %+.3f%s%s", mark, effect[v], mark, delta[v], star[v], armed[v] ? "" : " not armed"
                }
                printf " |"
            }
        }' "$1"
}

# row LABEL ENVIRONMENT JOB: one process.
row() {
    local label=$1 environment=$2 job=$3 begin=$SECONDS status
    local name=$job${environment:+-${environment##*=}}
    local record=$out/$name.json judgement=$out/$name.judgement.json
    rm -f "$record" "$record.part" "$judgement"
    env ${environment:+"$environment"} "$program" run "$root/jobs/hardware/$job.ini" --device "$device" \
        --instruments "$instruments" --rounds "$rounds" --min-rounds "$((rounds < 20 ? rounds : 20))" -q -o "$record" --json "$judgement" >"$out/$name.txt" 2>&1
    status=$?
    say "$label ${environment:-} took $((SECONDS - begin)) s, exit $status"
    if [[ -s $judgement ]]; then
        printf '| %s | %s |%s\n' "$label" "${environment#CUDA_DEVICE_MAX_}" "$(row_of "$judgement")"
    else
        printf '| %s | %s | %s |\n' "$label" "${environment#CUDA_DEVICE_MAX_}" "failed: $(tail -n 1 "$out/$name.txt")"
        failed=5
    fi
}

mkdir -p "$out" || exit 5
[[ -n ${CONFOUND_BIN:-} ]] || build
probe
# shellcheck disable=SC2016
printf 'Measured on %s with `bench/hardware.sh %s`, at most %s rounds a row.\n' "$(date -u +%Y-%m-%d)" "$device" "$rounds"
printf 'Overlap and reading; effect and its median, * where its interval excludes 0.\n\n'
printf '| lanes | environment |'
for column in $columns; do printf ' %s |' "$column"; done
printf '\n|---|---|'
for column in $columns; do printf -- '---|'; done
printf '\n'
row "h2d 16 × 8 MiB pinned + kernel" "" copies-kernels
row "kernel + kernel, few blocks each" CUDA_DEVICE_MAX_CONNECTIONS=1 kernels-few-blocks
row "kernel + kernel, few blocks each" CUDA_DEVICE_MAX_CONNECTIONS=2 kernels-few-blocks
row "kernel + kernel, few blocks each" CUDA_DEVICE_MAX_CONNECTIONS=8 kernels-few-blocks
row "kernel + kernel, each fills the device" "" kernels-full
row "h2d + d2h, pinned" "" both-ways
row "kernel-copy 16 × 8 MiB + kernel" "" kernel-copy
row "batch-copy 16 × 64 × 128 KiB + kernel" "" batch-copy
row "h2d 16 × 8 MiB pageable + kernel" "" pageable
row "h2d 16 × 8 MiB pinned + kernel, blocking streams" "" blocking-streams
row "h2d on the default stream + kernel" "" default-stream
exit "$failed"
