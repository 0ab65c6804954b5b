"""A simplified version of location-worker's core as a Quix Streams application, for PEER_COUNT records."""

import os
import tempfile

from quixstreams import Application

from meter import Meter
from smoothing import advance

meter = Meter()
count = int(os.environ["PEER_COUNT"])


def step(fix, state):
    meter.count()
    after, record = advance(state.get("driver"), fix)
    state.set("driver", after)
    if meter.records == count:
        meter.finish()
    return record


with tempfile.TemporaryDirectory() as folder:
    app = Application(
        broker_address=os.environ["KAFKA_BOOTSTRAP_SERVERS"],
        consumer_group=os.environ["PEER_OUTPUT"],
        auto_offset_reset="earliest",
        auto_create_topics=False,
        # By default, state is also written to a changelog topic; RocksDB alone is faster.
        use_changelog_topics=False,
        state_dir=folder,
        consumer_extra_config={"fetch.wait.max.ms": 20, "session.timeout.ms": 6000},
        producer_extra_config={"linger.ms": 20, "compression.type": "lz4"},
        loglevel="ERROR",
    )
    source = app.topic(os.environ["PEER_INPUT"], key_deserializer="str", value_deserializer="json")
    # Quix requires the topic's retention, which the local broker does not return.
    source.broker_config.extra_config.setdefault("retention.ms", "-1")
    sink = app.topic(os.environ["PEER_OUTPUT"], key_serializer="str", value_serializer="json")
    app.dataframe(source).apply(step, stateful=True).to_topic(sink)
    app.run(count=count, collect=False)
