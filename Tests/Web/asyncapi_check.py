"""Validates messages of a gateway against its AsyncAPI document.

    asyncapi_check.py DOCUMENT LOG    LOG: messages received by clients, one per line

Prints "seen TYPE" for each message type of the document that occurs, "unseen TYPE" for other types, and "problem: …"
once per deviation. Undeclared members are deviations. Records of topics are skipped, because the tests use synthetic
records; SchemaTests.swift validates real records.
"""

import json
import sys

import jsonschema_rs
import yaml


def without_file_references(node):
    """Returns a copy whose references to other files are replaced by a schema that allows anything except null."""
    if isinstance(node, dict):
        if str(node.get("$ref", "")).startswith("./"):
            return {"not": {"type": "null"}}
        return {name: without_file_references(value) for name, value in node.items()}
    return [without_file_references(element) for element in node] if isinstance(node, list) else node


def find_combined(node, references):
    """Adds references to schemas that allOf combines with others to `references`, and returns the set."""
    if isinstance(node, dict):
        references.update(element["$ref"] for element in node.get("allOf", []) if "$ref" in element)
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        find_combined(value, references)
    return references


def reject_unknown_members(node, combined, path="#", is_part=False):
    """Makes every object schema reject undeclared members; combined schemas are checked as a whole."""
    if isinstance(node, dict):
        is_part = is_part or path in combined
        if not is_part and isinstance(node.get("properties", node.get("allOf")), (dict, list)):
            node.setdefault("unevaluatedProperties", False)
        for name, value in list(node.items()):
            reject_unknown_members(value, combined, f"{path}/{name}", is_part and name == "allOf")
    elif isinstance(node, list):
        for element in node:
            reject_unknown_members(element, combined, path, path.endswith("/allOf"))


def sent_payloads(document):
    """Returns references to the payloads of messages that the gateway sends."""
    names = set()
    for operation in document["operations"].values():
        sender = operation if operation["action"] == "send" else operation.get("reply", {})
        names.update(message["$ref"].rpartition("/")[2] for message in sender.get("messages", []))
    return [f"#/components/messages/{name}/payload" for name in sorted(names)]


def type_of(document, reference):
    """Returns the constant type of a payload; None for a record of a topic."""
    node = document
    for name in reference[2:].split("/"):
        node = node[name]
    if "$ref" in node:
        return type_of(document, node["$ref"])
    for part in [node, *node.get("allOf", [])]:
        if "const" in part.get("properties", {}).get("type", {}):
            return part["properties"]["type"]["const"]
    return None


def main():
    document = without_file_references(yaml.safe_load(open(sys.argv[1])))
    payloads = {}
    for reference in sent_payloads(document):
        payloads.setdefault(type_of(document, reference), []).append({"$ref": reference})
    payloads.pop(None, None)
    components = document["components"]
    reject_unknown_members(components, find_combined(components, set()), "#/components")
    validators = {
        kind: jsonschema_rs.Draft202012Validator(
            {**(payload[0] if len(payload) == 1 else {"anyOf": payload}), "components": components}
        )
        for kind, payload in payloads.items()
    }
    seen, problems = set(), set()

    def report(problem, example):
        if problem not in problems:
            problems.add(problem)
            print(f"problem: {problem}, as in {example[:500].strip()}")

    for line in open(sys.argv[2]):
        message = json.loads(line)
        if "event_id" in message:
            continue
        validator = validators.get(message["type"])
        seen.add(message["type"])
        if not validator:
            report(f"the document has no message {message['type']}", line)
            continue
        for error in validator.iter_errors(message):
            path = [name for name in error.instance_path if isinstance(name, str)]
            report(f"{message['type']} at {path}: {error.message[:300]}", line)
    for kind in sorted(payloads):
        print("seen" if kind in seen else "unseen", kind)


main()
