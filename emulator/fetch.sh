#!/usr/bin/env bash
# fetch.sh [DIR], installed as confound-emulate-fetch: Intel's Level Zero and OpenCL drivers with the libraries that they
# need, as Debian packages them, unpacked into DIR/root. Without DIR, where confound-emulate looks for them:
# ~/.local/share/confound/intel. No root, nothing installed, nothing of the system touched: apt-get with lists and a state
# of its own, which checks signatures by Debian's keyring. DIR/versions says what was fetched and when.
#   DEBIAN_MIRROR=URL    the mirror; by default the one that this system takes its packages from
#   DEBIAN_SUITE=SUITE   unstable by default: the drivers for recent GPUs are there first
#   DEBIAN_KEYRING=FILE  where Debian's keyring lies
# Exit status: 0 done, 2 bad usage, 4 this system cannot fetch them (one line says why), 5 fetching failed.
set -euo pipefail

suite=${DEBIAN_SUITE:-unstable}
keyring=${DEBIAN_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
wanted=(libze1 libze-dev libze-intel-gpu1 libigc2 intel-opencl-icd ocl-icd-libopencl1 linux-libc-dev clinfo)

cannot() {
    printf 'intel: %s\n' "$*" >&2
    exit 4
}

failed() {
    printf 'intel: %s\n' "$*" >&2
    exit 5
}

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,/^[^#]/s/^# \?//p' "$0"
    exit 0
fi
if [[ $# -gt 1 || ${1:-} == -* ]]; then
    printf 'intel: usage: %s [DIR]\n' "${0##*/}" >&2
    exit 2
fi
folder=${1:-${HOME:+$HOME/.local/share/confound/intel}}
[[ $folder ]] || cannot "no folder was named, and there is no HOME"
[[ $(uname -sm) == "Linux x86_64" ]] || cannot "Intel's drivers are for Linux on x86-64; this is $(uname -sm)"
for tool in apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || cannot "there is no $tool here; fetch on a Debian or Ubuntu system and copy the folder"
done
[[ -r $keyring ]] || cannot "no keyring to check Debian's signatures with ($keyring); install the package" \
    "debian-archive-keyring, or name one: DEBIAN_KEYRING=FILE"

mirror=${DEBIAN_MIRROR:-}
if [[ ! $mirror ]]; then
    # shellcheck disable=SC2016 # apt-get's own words
    targets=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null)
    mirror=$(sed -n 's/^Debian|Debian|//p' <<<"$targets" | head -n 1)
    # Before the first apt-get update a system's lists have no origin; on Debian they are Debian's.
    if [[ ! $mirror ]] && grep -qx 'ID=debian' /etc/os-release; then
        mirror=$(sed -n 's/^||//p' <<<"$targets" | grep -v security | head -n 1)
    fi
    [[ $mirror ]] || cannot "this system does not take its packages from a Debian mirror; name one: DEBIAN_MIRROR=URL"
fi

final=$(readlink -m "$folder")
mkdir -p "$(dirname "$final")"
dir=$(mktemp -d "$final.XXXXXX")
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/apt/etc" "$dir/debs" "$dir/root"
printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite" >"$dir/apt/etc/sources.list"
: >"$dir/apt/status"

apt_options=(-q -o "Dir::State=$dir/apt" -o "Dir::State::status=$dir/apt/status" -o "Dir::State::lists=$dir/apt/lists"
    -o "Dir::Cache=$dir/apt/cache" -o "Dir::Etc::sourcelist=$dir/apt/etc/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferencesparts=/dev/null -o APT::Architecture=amd64 -o APT::Architectures=amd64
    -o APT::Install-Recommends=false -o APT::Get::AllowUnauthenticated=false)
# As root, apt-get fetches as another user, who may not enter a private folder.
[[ $(id -u) != 0 ]] || apt_options+=(-o APT::Sandbox::User=root)

log="$dir/log"
apt-get "${apt_options[@]}" -o APT::Update::Error-Mode=any update >"$log" 2>&1 || {
    cat "$log" >&2
    failed "no package lists from $mirror ($suite)"
}
# What an empty system would install; less what every system has and no driver loads.
apt-get "${apt_options[@]}" --print-uris -y install "${wanted[@]}" >"$dir/uris" 2>"$log" || {
    cat "$log" >&2
    failed "$suite at $mirror does not have ${wanted[*]}, or not what they need"
}
mapfile -t names < <(sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" "$dir/uris" |
    grep -vE '^(dpkg|tar|perl|perl-base|debconf|passwd|login|bash|dash|coreutils|apt|systemd|init|base-files)')
(cd "$dir/debs" && apt-get "${apt_options[@]}" download "${names[@]}") >"$log" 2>&1 || {
    cat "$log" >&2
    failed "could not download from $mirror"
}
for deb in "$dir"/debs/*.deb; do
    dpkg-deb -x "$deb" "$dir/root"
done
for driver in libze_intel_gpu.so.1 intel-opencl/libigdrcl.so; do
    [[ -e $dir/root/usr/lib/x86_64-linux-gnu/$driver ]] || failed "the packages of $suite hold no $driver"
done
{
    printf 'fetched %s from suite %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$suite"
    for deb in "$dir"/debs/*.deb; do
        # shellcheck disable=SC2016 # dpkg-deb's own words
        printf '%s %s\n' "$(dpkg-deb -W --showformat='${Package} ${Version}' "$deb")" "$(sha256sum "$deb" | cut -d' ' -f1)"
    done
} >"$dir/versions"
rm -rf "$dir/apt" "$dir/debs" "$dir/uris" "$log"
chmod 755 "$dir"
rm -rf "$final"
mv "$dir" "$final"
trap - EXIT
