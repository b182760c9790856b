"""Puts libconfound into the wheel, and beside it the libraries that it needs and a machine may lack.

It is built by cmake in build/wheel of the checkout. Debian's static archives are not made for shared libraries, so that
jansson, inih and nettle go in as they are, found through $ORIGIN.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, Optional

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+)\.so\.\d+")
ENVIRONMENT = {**os.environ, "LC_ALL": "C"}


def built() -> Path:
    folder = ROOT / "build" / "wheel"
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
    for command in (
        ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
         "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", "-DCMAKE_INSTALL_RPATH=$ORIGIN"],
        ["cmake", "--build", str(folder), "--parallel", jobs, "--target", "libconfound"],
    ):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout}")
    return folder / "libconfound.so.0"


def needed(library: Path) -> List[str]:
    """Sonames that it needs beside the C library's."""
    dump = subprocess.run(["objdump", "-p", str(library)], check=True, capture_output=True, text=True, env=ENVIRONMENT)
    return [name for name in re.findall(r"^\s+NEEDED\s+(\S+)", dump.stdout, re.M) if not SYSTEM.fullmatch(name)]


def found(library: Path) -> Dict[str, Path]:
    """{soname: file} of all that library needs, and what that needs."""
    lines = subprocess.run(["ldd", str(library)], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    places = dict(re.findall(r"^\s+(\S+) => (/\S+)", lines, re.M))
    wanted: Dict[str, Path] = {}
    ahead = needed(library)
    while ahead:
        name = ahead.pop()
        if name not in wanted:
            if name not in places:
                raise SystemExit(f"{library} needs {name}, which is not here")
            wanted[name] = Path(places[name]).resolve()
            ahead += needed(wanted[name])
    return wanted


def platform_of(libraries: List[Path]) -> str:
    """The tag that says what they really need: a glibc of that version (PEP 600)."""
    versions = [0]
    for library in libraries:
        dump = subprocess.run(["objdump", "-T", str(library)], check=True, capture_output=True, text=True,
                              env=ENVIRONMENT).stdout
        versions += [int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", dump)]
    return f"manylinux_2_{max(versions)}_{os.uname().machine}"


def licence_of(library: Path) -> Optional[Path]:
    """What the distribution says of a library's licence; None where it is not Debian's way."""
    for place in (str(library), str(library).removeprefix("/usr")):
        asked = subprocess.run(["dpkg-query", "--search", place], capture_output=True, text=True, env=ENVIRONMENT)
        package = asked.stdout.partition(":")[0]
        licence = Path("/usr/share/doc", package, "copyright")
        if asked.returncode == 0 and licence.is_file():
            return licence
    return None


class LibraryHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if version == "editable":
            return
        library = built()
        files = {"libconfound.so.0": library.resolve(), **found(library)}
        self.folder = tempfile.mkdtemp(prefix="confound-wheel-")
        for name, path in files.items():
            stripped = os.path.join(self.folder, name)
            subprocess.run(["strip", "--strip-unneeded", "-o", stripped, str(path)], check=True)
            build_data["force_include"][stripped] = f"confound/{name}"
            licence = ROOT / "LICENSE" if path == library.resolve() else licence_of(path)
            if licence is not None:
                build_data["force_include"][str(licence.resolve())] = f"confound/licences/{name.partition('.')[0]}.txt"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_of(list(files.values()))}"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder, ignore_errors=True)
