"""The map: who may include whom, read from the cf_room lines of CMakeLists.txt, and the includes that break it."""

import os
import re

ROOM = re.compile(r"^\s*cf_room\(\s*(\w+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PUBLIC = "confound"  # include/confound: for those who join the rooms
JOINS = {"api", "cli"}


def read_map(root):
    """{room: set of rooms that it may include}"""
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
        text = file.read()
    rooms = {}
    for name, rest in ROOM.findall(text):
        match = re.search(r"\bDEPENDS\s+(.*?)(?:\bLIBS\b|$)", rest, re.DOTALL)
        rooms[name] = set(match.group(1).split()) if match else set()
    return rooms


def sources(folder, endings=(".c", ".h")):
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(path, name)


def why_not(root, rooms, room, path, quote, target):
    """Why this include breaks the map; None where it is allowed."""
    if ".." in target.split("/"):
        return "an include names its room from src/ on, not by .."
    first = target.split("/")[0]
    if first in rooms:
        return None if first == room or first in rooms[room] else f"{room} may not include {first}"
    if first == PUBLIC:
        return None if room in JOINS else f"{room} may not include the public API"
    if quote == '"' and not os.path.exists(os.path.join(os.path.dirname(path), target)):
        return "in quotes, but neither a room's header nor a file beside this one"
    return None


def folder_of(root, room):
    """src/ROOM, or ROOM for one that is no part of the program."""
    inside = os.path.join(root, "src", room)
    return inside if os.path.isdir(inside) else os.path.join(root, room)


def violations(root):
    """["src/model/x.c:3: model may not include device (device/device.h)", ...]"""
    rooms = read_map(root)
    found = [f"src/{room}: no room in CMakeLists.txt has that name"
             for room in sorted(os.listdir(os.path.join(root, "src"))) if room not in rooms]
    for room in sorted(rooms):
        for path in sources(folder_of(root, room)):
            found += violations_of(root, rooms, room, path)
    return found


def violations_of(root, rooms, room, path):
    found = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            why = match and why_not(root, rooms, room, path, match.group(1), match.group(2))
            if why:
                found.append(f"{os.path.relpath(path, root)}:{number}: {why} ({match.group(2)})")
    return found


def reach(rooms, room):
    """Every room that `room` depends on, by any number of steps."""
    seen, todo = set(), [room]
    while todo:
        for needed in rooms[todo.pop()]:
            if needed not in seen:
                seen.add(needed)
                todo.append(needed)
    return seen
