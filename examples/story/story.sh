#!/usr/bin/env bash
# A wrong turn, from the trace that began it to the retraction, in a repository of its own. Every command is shown before
# it is run. Needs git, and confound in PATH or named by CONFOUND. `story.sh [FOLDER]`: FOLDER is made, and kept.
set -euo pipefail

folder=${1:-$(mktemp -d)/story}
program=${CONFOUND:-confound}
confound() { "$program" "$@"; }

say() { printf '\n# %s\n' "$*"; }

# run STATUS COMMAND…: shows the command and what it prints; any other exit status ends the story.
run() {
    local expected=$1 status=0
    shift
    printf '$'
    printf ' %s' "${@@Q}" | sed "s/'\\([A-Za-z0-9._/=~-]*\\)'/\\1/g"
    printf '\n'
    "$@" 2>&1 || status=$?
    [[ $status == 0 ]] || printf '[exit %d]\n' "$status"
    if [[ $status != "$expected" ]]; then
        printf 'story: exit %d was expected\n' "$expected"
        exit 1
    fi
}

commit() {
    git add -A
    git -c user.name=Ann -c user.email=ann@example.org commit -q -m "$1"
}

# What a profiler with timing events shows of the model copy-offload: copies and kernels in turn, 16 of each, none beside
# another. It is true, and it is the profiler's own doing.
trace() {
    awk 'BEGIN {
        print "{\"otherData\": {\"simulated\": true, \"timing_events\": true}, \"traceEvents\": ["
        for (i = 0; i < 16; i++) {
            printf "{\"name\": \"copy %d\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 1000},\n", i, i * 2008 + 2
            printf "{\"name\": \"kernel %d\", \"ph\": \"X\", \"pid\": 1, \"tid\": 2, \"ts\": %d, \"dur\": 1000}%s\n", i, i * 2008 + 1006, i < 15 ? "," : ""
        }
        print "]}"
    }'
}

mkdir -p "$folder"
cd "$folder"
git init -q -b main .

say "A plan in the repository"
run 0 confound plan init
commit "begin the plan"

say "October: a trace shows copies that wait for kernels, and work is begun on it. It is brought in as it was."
mkdir -p traces
trace >traces/october.json
run 0 confound plan claim "copies serialise behind compute" --verdict serialises --source traces/october.json \
    --acted-on "defer and batch the copies" --since 2026-10-01
commit "what we believe"

say "The gate objects: a trace is no control"
run 1 confound plan check
run 1 confound plan act 1 --work "a copy thread of its own"

say "The run: no instrument, sync-only events, timing events, interleaved"
run 0 confound run --device sim --model copy-offload --seed 1 -o plan/evidence/copy-offload.json

say "The control contradicts the claim"
run 1 confound plan accept 1 --evidence plan/evidence/copy-offload.json

say "So it is retracted: the claim stays, and every piece of work has a fate"
run 1 confound plan retract 1 --evidence plan/evidence/copy-offload.json \
    --because "the timing events of the trace did it; without them the copies overlap"
run 0 confound plan retract 1 --evidence plan/evidence/copy-offload.json \
    --because "the timing events of the trace did it; without them the copies overlap" \
    --work "defer and batch the copies: withdrawn, it solved nothing"
commit "what we know"

say "What holds instead, and what may be quoted"
run 0 confound plan claim "copies overlap with kernels" --evidence plan/evidence/copy-offload.json
run 0 confound plan act 2 --work "keep the copies where they are"
run 1 confound plan quote plan/evidence/copy-offload.json --figure ab_ms --variant timing
run 0 confound plan quote plan/evidence/copy-offload.json --figure ab_ms
printf 'A step takes %s.\n' "$(confound plan quote plan/evidence/copy-offload.json --figure ab_ms)" >speed.md
commit "what holds, and a figure"

say "The gate is at peace"
run 0 confound plan check --against HEAD~1

say "A figure changed by hand, and a wrong turn that is tidied away, are found"
sed -i 's/16\.000 ms/12.000 ms/' speed.md
git rm -q plan/0001-copies-serialise-behind-compute.md
run 1 confound plan check --against HEAD
git reset -q --hard

say "The plan, as anyone reads it later"
run 0 confound plan show
