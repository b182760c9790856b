# shellcheck shell=bash
# The steps of `./dev ci`, sourced by dev. Each is a function step_NAME that prints a few lines and fails on a finding.
# Every gate is followed by its twin: the same gate over a planted mistake, which it must catch.

all_steps="gcc intel clang asan tsan fuzz tidy cppcheck format install python study"
ci_build="$root/build/ci"
planted="$root/tests/infra/planted"
fuzz_seconds=${FUZZ_SECONDS:-5}

ci() {
    local step status begin failed="" skipped="" skip_marker=$ci_build/skipped # which a step's own shell can leave
    local steps=${*:-$all_steps}
    for step in $steps; do
        [[ " $all_steps " == *" $step "* ]] || die "ci: no step '$step'; there are: $all_steps"
    done
    need ci
    unset DESTDIR # it would move what the install step installs
    for step in $steps; do
        begin=$SECONDS
        rm -f "$skip_marker"
        printf '== %s\n' "$step"
        set +e # one step's failure hides no other's; inside a step the first failure still ends it
        (set -e && "step_$step")
        status=$?
        set -e
        if [[ $status == 0 && -e $skip_marker ]]; then
            printf '== %s: SKIPPED\n' "$step"
            skipped+=" $step"
        elif [[ $status == 0 ]]; then
            printf '== %s: passed in %d s\n' "$step" $((SECONDS - begin))
        else
            printf '== %s: FAILED after %d s\n' "$step" $((SECONDS - begin))
            failed+=" $step"
        fi
    done
    [[ ! $skipped ]] || printf '== skipped:%s\n' "$skipped"
    [[ ! $failed ]] || printf '== failed:%s\n' "$failed"
    [[ " $steps " != *" gcc "* || ! -f $ci_build/dev/ctest.xml ]] || count_tests "$ci_build/dev/ctest.xml"
    [[ ! $failed ]]
}

# must_fail WHAT TEXT COMMAND…: the twin of a gate: COMMAND has to fail and to say TEXT.
must_fail() {
    local what=$1 text=$2 output
    shift 2
    if output=$("$@" 2>&1); then
        die "$what passed over a planted mistake: $*"
    fi
    [[ $output == *"$text"* ]] || die "$what failed over a planted mistake, but not for it (wanted '$text'): $output"
}

# What cannot be tested here fails its step, unless that is allowed.
may_skip() { # WHY
    [[ ${CONFOUND_ALLOW_SKIP:-} == 1 ]] || die "$1; CONFOUND_ALLOW_SKIP=1 lets this step go untested"
    printf 'skipped: %s\n' "$1"
    [[ ! ${skip_marker:-} ]] || { mkdir -p "${skip_marker%/*}" && : >"$skip_marker"; }
}

ci_preset() { # PRESET [TARGETS]
    build "$1" "$ci_build/$1" "${2:-all}" -DCONFOUND_WERROR=ON
}

# The summary of a test run; all of it where it fails.
ci_ctest() { # PRESET [ARGS]
    local log="$root/build/log/ctest-$1.log"
    if ! run_ctest "$ci_build/$1" "${@:2}" >"$log" 2>&1; then
        cat "$log"
        return 1
    fi
    sed -n '/tests passed/,$p' "$log"
}

# ---- compilers and sanitizers ------------------------------------------------------------------------------------

# The test in a browser, which is skipped elsewhere where there is none, may not be skipped here.
step_gcc() {
    CONFOUND_BROWSER=demanded "$self" test --werror -LE '^intel$' # the next step's
    must_fail "gcc with warnings as errors" "-Werror=conversion" build_planted_warning dev
}

# Intel's drivers on the emulated GPU. Where they cannot be fetched nothing was tested, which is a failure here.
step_intel() {
    local status=0 log="$root/build/log/ctest-intel.log"
    fetch_intel || status=$?
    if [[ $status != 0 ]]; then
        may_skip "Intel's drivers could not be fetched"
        return 0
    fi
    head -n 1 "$intel/versions"
    ci_preset dev "$intel_targets"
    run_ctest "$ci_build/dev" -L '^intel$' >"$log" 2>&1 || {
        cat "$log"
        return 1
    }
    tail -n 1 "$log"
    [[ $(tail -n 1 "$log") == *" 0 skipped" ]] || die "a test on Intel's drivers was skipped: build/log/ctest-intel.log"
    must_fail "a program without drivers" "no Intel driver" "$ci_build/dev/confound-emulate" --drivers "$root/docs" -- true
}

build_planted_warning() { # PRESET
    cmake --build "$ci_build/$1" --target planted.warning
}

# What measures real time is left to gcc and the sanitizers.
step_clang() {
    ci_preset clang "all benches"
    ci_ctest clang -LE 'real_time|^intel$'
    must_fail "clang with warnings as errors" "-Werror,-Wimplicit-int-conversion" build_planted_warning clang
}

# Sanitizers place their shadow at fixed addresses, which kernels with more random bits than they know get in the way of.
sanitizer_prefix() {
    ! setarch -R true 2>/dev/null || ctest_prefix=(setarch -R)
}

# Every program and library of the build has to contain the sanitizer's entry points.
proven_linked() { # PRESET SYMBOL…
    local preset=$1 file symbol count=0
    shift
    while IFS= read -r -d '' file; do
        for symbol in "$@"; do
            nm -D "$file" | grep " $symbol" >/dev/null || die "$file lacks $symbol: it was built without the sanitizer"
        done
        ((++count))
    done < <(find "$ci_build/$preset" -maxdepth 1 -type f \( -name 'test.*' -o -name confound -o -name 'libconfound.so.*' \) \
        -print0)
    ((count > 2)) || die "no programs in $ci_build/$preset"
    printf '%d programs and libraries have %s\n' "$count" "$*"
}

# infra.test_sanitizers is the twin: planted mistakes that each sanitizer must catch.
step_asan() {
    ci_preset asan
    proven_linked asan __asan_init __ubsan_handle_
    sanitizer_prefix
    ci_ctest asan -LE 'layering|browser|^intel$'
}

step_tsan() {
    ci_preset tsan
    proven_linked tsan __tsan_init
    sanitizer_prefix
    # One thread, or threads of PoCL's that are not built with it: nothing to see.
    ci_ctest tsan -LE 'layering|plan|docs|browser|^intel$' -E device.test_opencl
}

step_fuzz() {
    local source count=0
    ci_preset fuzz "fuzzers planted.fuzz"
    for source in "$root"/fuzz/*.c; do
        [[ -f $source ]] || die "there are no fuzz targets"
        fuzz_one "$(basename "$source" .c)"
        ((++count))
    done
    must_fail "libFuzzer" "heap-buffer-overflow" fuzz_command planted -runs=2000000
}

# New inputs go to a folder of the build, findings to build/ci/fuzz/NAME/found-*; fuzz/corpus/NAME is only read.
fuzz_command() { # NAME ARGS
    local name=$1 work="$ci_build/fuzz/run/$1" options=()
    shift
    mkdir -p "$work/corpus"
    [[ ! -f $root/fuzz/$name.dict ]] || options+=("-dict=$root/fuzz/$name.dict")
    options+=(-timeout=10 -rss_limit_mb=2048 -print_final_stats=1 "-artifact_prefix=$work/found-" "$@" "$work/corpus")
    [[ ! -d $root/fuzz/corpus/$name ]] || options+=("$root/fuzz/corpus/$name")
    if [[ $name == planted ]]; then
        "$ci_build/fuzz/planted.fuzz" "${options[@]}"
    else
        "$ci_build/fuzz/fuzz.$name" "${options[@]}"
    fi
}

fuzz_one() { # NAME
    local log="$root/build/log/fuzz-$1.log" runs
    if ! fuzz_command "$1" "-max_total_time=$fuzz_seconds" >"$log" 2>&1; then
        cat "$log"
        die "fuzz.$1 found something: $ci_build/fuzz/run/$1"
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    ((runs > 100)) || die "fuzz.$1 ran $runs inputs: that is no fuzzing"
    printf '%s: %d inputs, nothing found\n' "$1" "$runs"
}

# ---- reading the source ------------------------------------------------------------------------------------------

# The sources that the clang build compiles, NUL-terminated; tests are left to the compilers.
compiled() {
    local file
    sed -n 's/.*"file": "\(.*\)".*/\1/p' "$ci_build/clang/compile_commands.json" | sort -u | while IFS= read -r file; do
        case ${file#"$root"/} in
        *.S) ;; # the assembler reads it
        src/* | emulator/* | bench/* | fuzz/* | docs/*) printf '%s\0' "$file" ;;
        esac
    done
}

# One file at a time: over several, version 14 loses track of va_list.
step_tidy() {
    local log="$root/build/log/tidy.log" count tidy
    (need tidy) || { may_skip "there is no clang-tidy of version $llvm" && return; }
    tidy=$(llvm_tool clang-tidy)
    ci_preset clang "all benches"
    count=$(compiled | tr -dc '\0' | wc -c)
    ((count > 50)) || die "clang-tidy has only $count files to read"
    compiled | xargs -0 -n 1 -P "$jobs" "$tidy" --quiet -p "$ci_build/clang" >"$log" 2>&1 || {
        grep -v 'warnings\? generated\|^Suppressed\|^Use -header-filter' "$log"
        return 1
    }
    printf '%d files, nothing found\n' "$count"
    must_fail "clang-tidy" "bugprone-misplaced-operator-in-strlen-in-alloc" \
        "$tidy" --quiet --config-file="$root/.clang-tidy" "$planted/tidy.c" --
}

run_cppcheck() {
    cppcheck -q -j "$jobs" --enable=warning,style,performance,portability --inline-suppr --library=posix --std=c11 \
        --suppressions-list="$root/.ci/cppcheck.suppress" --error-exitcode=1 "$@"
}

step_cppcheck() {
    ci_preset clang "all benches"
    mkdir -p "$ci_build/cppcheck"
    run_cppcheck --project="$ci_build/clang/compile_commands.json" --cppcheck-build-dir="$ci_build/cppcheck" \
        --file-filter="$root/src/*" --file-filter="$root/emulator/*" --file-filter="$root/bench/*"
    must_fail "cppcheck" "memleak" run_cppcheck "$planted/cppcheck.c"
}

step_format() {
    (need format) || { may_skip "there is no clang-format of version $llvm" && return; }
    cmd_fmt --check
    must_fail "clang-format" "code should be clang-formatted" \
        "$(llvm_tool clang-format)" --dry-run -Werror "$planted/format.c.txt"
}

# ---- what a user gets --------------------------------------------------------------------------------------------

step_install() {
    ci_preset release
    CONFOUND_BUILD="$ci_build/release" CONFOUND_SOURCE="$root" python3 "$root/tests/consumer/test_consumer.py"
}

# The wheel in a fresh environment, with none of the tree in sight; pytest alone is the distribution's.
step_python() {
    local python env="$ci_build/python/env" wheel
    "$self" wheel
    wheel=("$root"/build/dist/confound-*.whl)
    python=$(python_with pytest)
    rm -rf "$ci_build/python"
    "$python" -m venv --system-site-packages "$env"
    "$env/bin/pip" install --quiet --no-index --no-deps "${wheel[0]}"
    "$env/bin/python" -I "$root/python/check_wheel.py" "${wheel[0]}"
    must_fail "the wheel's tag" "needs glibc" "$env/bin/python" -I "$root/python/check_wheel.py" "${wheel[0]}" --glibc 2.2
    test_wheel
    cp -r "$env"/lib/python3*/site-packages/confound "$ci_build/python/"
    sed -i 's/if answer.bound is Bound.ABOVE:/if True:/' "$ci_build/python/confound/_guard.py"
    must_fail "the package's tests" "test_too_few_rounds_never_pass" \
        env "PYTHONPATH=$ci_build/python" "$env/bin/python" -m pytest -q -p no:cacheprovider "$root/python/tests/test_guard.py"
    (cd "$root/python" && "$(python_with mypy)" -m mypy --cache-dir "$ci_build/python/mypy")
    must_fail "mypy" "Incompatible types" "$(python_with mypy)" -m mypy --strict -c 'count: int = "four"'
}

# Where it stands there is no package but the installed one.
test_wheel() (
    local log="$root/build/log/pytest-wheel.log"
    cd "$ci_build/python"
    env -u PYTHONPATH -u CONFOUND_LIBRARY "$env/bin/python" -m pytest -p no:cacheprovider "$root/python/tests" >"$log" 2>&1 || {
        cat "$log"
        return 1
    }
    tail -n 1 "$log"
)

step_study() {
    "$self" bench study --quick
    "$self" bench study_metric --quick
}
