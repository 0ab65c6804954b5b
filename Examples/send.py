#!/usr/bin/env python3
"""Sends the messages of a file to Sightline, with all times shifted so that the last one is now.

    pip install confluent-kafka
    python3 Examples/send.py Examples/messages.jsonl

Each line of the file is an object with "topic", "key" and "value". KAFKA_BOOTSTRAP_SERVERS names the brokers
(default localhost:29092), and SIGHTLINE_TOPIC_PREFIX is the prefix of the topic names.
"""

import json
import os
import sys
import time
from datetime import datetime, timezone

from confluent_kafka import Producer


def milliseconds(value):
    """Returns a time, given as ISO 8601 or as milliseconds since 1970, in milliseconds."""
    if isinstance(value, str):
        return round(datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp() * 1000)
    return value


def times(value):
    """Yields all times of a message, in milliseconds."""
    for item in value if isinstance(value, list) else value.values() if isinstance(value, dict) else []:
        yield from times(item)
    if isinstance(value, dict):
        yield from (milliseconds(value[name]) for name in ("timestamp", "changed_at") if name in value)


def shifted(value, by):
    """Returns the message with all times shifted by `by` milliseconds, each in its own format."""
    if isinstance(value, list):
        return [shifted(item, by) for item in value]
    if not isinstance(value, dict):
        return value
    result = {name: shifted(item, by) for name, item in value.items()}
    for name in ("timestamp", "changed_at"):
        if name in value:
            at = milliseconds(value[name]) + by
            is_text = isinstance(value[name], str)
            text = datetime.fromtimestamp(at / 1000, timezone.utc).isoformat(timespec="milliseconds")
            result[name] = text.replace("+00:00", "Z") if is_text else at
    return result


def main(path):
    with open(path, encoding="utf-8") as file:
        messages = [json.loads(line) for line in file if line.strip()]
    by = round(time.time() * 1000) - max(at for message in messages for at in times(message["value"]))
    producer = Producer(
        {
            "bootstrap.servers": os.environ.get("KAFKA_BOOTSTRAP_SERVERS", "localhost:29092"),
            "partitioner": "murmur2_random",
            "enable.idempotence": True,
        }
    )
    failures = []

    def report(error, message):
        if error is not None:
            failures.append(error)
        print(f"{message.topic()} {message.key().decode()}: {error or f'partition {message.partition()}, offset {message.offset()}'}")

    prefix = os.environ.get("SIGHTLINE_TOPIC_PREFIX", "")
    for message in messages:
        producer.produce(
            prefix + message["topic"], key=message["key"], value=json.dumps(shifted(message["value"], by)),
            on_delivery=report,
        )
    left = producer.flush(30)
    if left or failures:
        sys.exit(f"{left + len(failures)} of {len(messages)} messages were not delivered.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
