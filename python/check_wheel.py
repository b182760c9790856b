"""python check_wheel.py WHEEL [--glibc VERSION]: what the installed package loads comes from the wheel or is the C library,
and needs no newer glibc than the wheel's name says (or VERSION)."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+)\.so\.\d+")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    wheel = Path(sys.argv[1])
    named = sys.argv[3] if "--glibc" in sys.argv else ".".join(re.search(r"manylinux_(\d+)_(\d+)", wheel.name).groups())
    allowed = tuple(int(part) for part in named.split("."))
    folder = Path(importlib.util.find_spec("confound").origin).parent
    if "site-packages" not in folder.parts:
        sys.exit(f"the package is not the installed one: {folder}")
    libraries = sorted(folder.glob("*.so.*"))
    for library in libraries:
        for name in re.findall(r"^\s+NEEDED\s+(\S+)", output("objdump", "-p", str(library)), re.M):
            if not SYSTEM.fullmatch(name) and not (folder / name).exists():
                sys.exit(f"{library.name} needs {name}, which is not in the wheel")
        for version in set(re.findall(r"GLIBC_([\d.]+)", output("objdump", "-T", str(library)))):
            if tuple(int(part) for part in version.split(".")) > allowed:
                sys.exit(f"{library.name} needs glibc {version}, and the wheel is for {named}")
    print(f"{wheel.name}: {len(libraries)} libraries, glibc {named} is enough")


if __name__ == "__main__":
    main()
