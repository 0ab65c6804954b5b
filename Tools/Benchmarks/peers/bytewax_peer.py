"""A simplified version of location-worker's core as a Bytewax dataflow, for all records of the topic."""

import os

import bytewax.operators as op
import orjson
from bytewax.connectors.kafka import KafkaSink, KafkaSinkMessage, KafkaSource
from bytewax.dataflow import Dataflow
from bytewax.operators import StatefulBatchLogic
from bytewax.testing import run_main

from meter import Meter
from smoothing import advance

meter = Meter()
count = int(os.environ["PEER_COUNT"])
brokers = [os.environ["KAFKA_BOOTSTRAP_SERVERS"]]


class Driver(StatefulBatchLogic):
    def __init__(self, state):
        self.state = state

    def on_batch(self, fixes):
        records = []
        for fix in fixes:
            self.state, record = advance(self.state, fix)
            records.append(record)
        return records, StatefulBatchLogic.RETAIN

    def snapshot(self):
        return self.state


def decode(messages):
    meter.count(len(messages))
    return [(message.key.decode(), orjson.loads(message.value)) for message in messages]


def encode(items):
    return [KafkaSinkMessage(key.encode(), orjson.dumps(record)) for key, record in items]


flow = Dataflow("location")
source = KafkaSource(brokers, [os.environ["PEER_INPUT"]], tail=False, batch_size=10_000)
raw = op.input("raw", flow, source)
fixes = op.flat_map_batch("decode", raw, decode)
records = op.stateful_batch("filter", fixes, Driver)
encoded = op.flat_map_batch("encode", records, encode)
sink = KafkaSink(brokers, os.environ["PEER_OUTPUT"], add_config={"linger.ms": "20", "compression.type": "lz4"})
op.output("verdicts", encoded, sink)
# One worker, because the comparison is per process.
run_main(flow)
assert meter.records == count, f"Read {meter.records} of {count} records."
meter.finish()
