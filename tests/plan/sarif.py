"""What SARIF 2.1.0 asks of a log like ours, by hand; and the official schema, where there is one and a validator."""

import json
import os
import re

LEVELS = {"none", "note", "warning", "error"}
URI = re.compile(r"^[A-Za-z0-9\-._~%/+@]+$")


def members(value, required, optional=()):
    """Every required member is there, and nothing that the schema does not know (it forbids additional ones)."""
    names = set(value)
    assert set(required) <= names, f"missing {set(required) - names}"
    assert names <= set(required) | set(optional), f"unknown {names - set(required) - set(optional)}"
    return value


def text_of(message):
    assert isinstance(members(message, ["text"])["text"], str) and message["text"]
    return message["text"]


def check_rule(rule):
    members(rule, ["id", "shortDescription", "defaultConfiguration"])
    text_of(rule["shortDescription"])
    assert members(rule["defaultConfiguration"], ["level"])["level"] in LEVELS


def check_location(location):
    place = members(members(location, ["physicalLocation"])["physicalLocation"], ["artifactLocation", "region"])
    artifact = members(place["artifactLocation"], ["uri", "uriBaseId"])
    assert URI.match(artifact["uri"]) and not artifact["uri"].startswith("/"), artifact
    line = members(place["region"], ["startLine"])["startLine"]
    assert isinstance(line, int) and line >= 1


def check_result(result, rules, bases):
    members(result, ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "suppressions"])
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] in LEVELS
    text_of(result["message"])
    assert len(result["locations"]) == 1
    check_location(result["locations"][0])
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] in bases
    assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
    for suppression in result["suppressions"]:
        members(suppression, ["kind", "status", "justification"])
        assert suppression["kind"] in ("inSource", "external")
        assert suppression["status"] in ("accepted", "underReview", "rejected")
        assert isinstance(suppression["justification"], str)


def check(log):
    """Raises AssertionError where the log is not what the standard asks for."""
    members(log, ["$schema", "version", "runs"])
    assert log["version"] == "2.1.0"
    assert log["$schema"].startswith("https://") and log["$schema"].endswith("sarif-2.1.0.json")
    assert len(log["runs"]) == 1
    run = members(log["runs"][0], ["tool", "originalUriBaseIds", "columnKind", "results"])
    driver = members(members(run["tool"], ["driver"])["driver"], ["name", "version", "rules"])
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    for base in run["originalUriBaseIds"].values():
        text_of(members(base, ["description"])["description"])
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        check_rule(rule)
    for result in run["results"]:
        check_result(result, driver["rules"], run["originalUriBaseIds"])
    return run


def official_schema():
    """The schema that SARIF_SCHEMA names (sarif-schema-2.1.0.json of OASIS), None where it names none."""
    path = os.environ.get("SARIF_SCHEMA")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)
