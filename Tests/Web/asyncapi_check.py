"""Whether the messages that a gateway has sent are as its AsyncAPI document says.

    asyncapi_check.py DOCUMENT LOG    LOG: what clients have received, one message a line

Prints "seen TYPE" for each type of the document that was sent, "unseen TYPE" for the others, and "problem: …" once for
each thing that the document does not say: a member that it does not name is one, too. Records of topics are left out where the document
refers to their own schemas: tests make them up, and SchemaTests.swift has real ones.
"""

import json
import sys

import jsonschema_rs
import yaml


def inlined(node):
    """The document without what refers to other files; anything but null is allowed there."""
    if isinstance(node, dict):
        if str(node.get("$ref", "")).startswith("./"):
            return {"not": {"type": "null"}}
        return {name: inlined(value) for name, value in node.items()}
    return [inlined(element) for element in node] if isinstance(node, list) else node


def parts(node, found):
    """The schemas that are joined with others by allOf, as references."""
    if isinstance(node, dict):
        found.update(element["$ref"] for element in node.get("allOf", []) if "$ref" in element)
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        parts(value, found)
    return found


def close(node, joined, path="#", is_part=False):
    """Has every object take the members alone that it names."""
    if isinstance(node, dict):
        is_part = is_part or path in joined
        if not is_part and isinstance(node.get("properties", node.get("allOf")), (dict, list)):
            node.setdefault("unevaluatedProperties", False)
        for name, value in list(node.items()):
            close(value, joined, f"{path}/{name}", is_part and name == "allOf")
    elif isinstance(node, list):
        for element in node:
            close(element, joined, path, path.endswith("/allOf"))


def sent(document):
    """References to the payloads of what the gateway sends."""
    names = set()
    for operation in document["operations"].values():
        sender = operation if operation["action"] == "send" else operation.get("reply", {})
        names.update(message["$ref"].rpartition("/")[2] for message in sender.get("messages", []))
    return [f"#/components/messages/{name}/payload" for name in sorted(names)]


def type_of(document, reference):
    """The type that a payload has as a constant; None where it is a record of a topic."""
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
    document = inlined(yaml.safe_load(open(sys.argv[1])))
    payloads = {}
    for reference in sent(document):
        payloads.setdefault(type_of(document, reference), []).append({"$ref": reference})
    payloads.pop(None, None)
    components = document["components"]
    close(components, parts(components, set()), "#/components")
    validators = {
        kind: jsonschema_rs.Draft202012Validator(
            {**(payload[0] if len(payload) == 1 else {"anyOf": payload}), "components": components}
        )
        for kind, payload in payloads.items()
    }
    seen, told = set(), set()

    def tell(problem, example):
        if problem not in told:
            told.add(problem)
            print(f"problem: {problem}, as in {example[:500].strip()}")

    for line in open(sys.argv[2]):
        message = json.loads(line)
        if "event_id" in message:
            continue
        validator = validators.get(message["type"])
        seen.add(message["type"])
        if not validator:
            tell(f"the document has no message {message['type']}", line)
            continue
        for error in validator.iter_errors(message):
            place = [name for name in error.instance_path if isinstance(name, str)]
            tell(f"{message['type']} at {place}: {error.message[:300]}", line)
    for kind in sorted(payloads):
        print("seen" if kind in seen else "unseen", kind)


main()
