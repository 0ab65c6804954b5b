"""What rider-gateway promises of streams in docs/gateway.md.

    gateway_stream.py HOST PORT TOKENS LOG METRICS    as gateway_client.py has them; METRICS: the URL of the gateway's
                                                      metrics
"""

import http.client
import json
import re
import sys
import time
import urllib.request

from gateway_client import DEADLINE_SECONDS, HOST, PORT, TOKENS, brief_token, request
from promises import equal, promise, run
from stream_client import EventStream, connect

METRICS = sys.argv[5]
ADDRESS = f"{HOST}:{PORT}"


class Stream:
    """A stream that has begun; its events as (id, type, JSON)."""

    def __init__(self, trip, last_id=None, token=None, **headers):
        self.connection, self.answer = connect(ADDRESS, trip, token or TOKENS["rider"], last_id, **headers)
        equal((self.answer.status, self.answer.getheader("Content-Type")), (200, "text/event-stream"))
        self.stream = EventStream(self.answer)
        self.events = iter(self.stream)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        # Both are needed to close the socket.
        self.answer.close()
        self.connection.close()

    def next(self):
        for event in self.events:
            if event:
                return self.stream.last_id, event[0], json.loads(event[1])
        raise AssertionError("the stream ended")


def counted(metric):
    """The value of a metric of the gateway, 0 where it is not there."""
    with urllib.request.urlopen(METRICS, timeout=DEADLINE_SECONDS) as answer:
        found = re.search(rf"^{re.escape(metric)} (\S+)$", answer.read().decode(), re.MULTILINE)
    return float(found[1]) if found else 0


def wait_until(holds):
    end = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not come to be in time"
        time.sleep(0.1)


@promise
def a_stream_begins_with_the_state_in_full():
    with Stream("told") as stream:
        last_id, kind, message = stream.next()
        equal((kind, message["type"], message["replay_from"]), ("subscribed", "subscribed", None))
        equal((message["snapshot"]["state"], message["snapshot"]["position"]["latitude"]), ("IN_PROGRESS", 9))
        equal((last_id, message["cursor"]), ("0-9", ["0-9"]))
        assert stream.stream.retry_ms > 0


@promise
def a_stream_resumes_with_what_was_missed_in_order():
    for path, header in [("told", "0-4"), ("told/stream?last_event_id=0-4&", None)]:
        connection = http.client.HTTPConnection(ADDRESS, timeout=DEADLINE_SECONDS)
        headers = {"Last-Event-ID": header} if header else {}
        path = path if "/" in path else f"{path}/stream?"
        connection.request("GET", f"/trips/{path}token={TOKENS['rider']}", headers=headers)
        stream = EventStream(connection.getresponse())
        events = []
        for event in stream:
            events.append((stream.last_id, event[0], json.loads(event[1])))
            if len(events) == 6:
                break
        last_id, kind, message = events[0]
        equal((last_id, kind, message["replay_from"], "snapshot" in message), (None, "subscribed", "0-4", False))
        equal([last_id for last_id, _, _ in events[1:]], [f"0-{number}" for number in range(5, 10)])
        assert all(kind == "driver_location" == event["type"] for _, kind, event in events[1:])
        equal([event["event_id"] for _, _, event in events[1:]], [last_id for last_id, _, _ in events[1:]])
        connection.close()


@promise
def an_id_that_is_not_known_gets_the_state_in_full():
    with Stream("told", "0-999999") as stream:
        assert "snapshot" in stream.next()[2]


@promise
def streams_that_are_cut_off_resume_without_a_gap():
    last_id, seen = None, []
    for _ in range(8):
        with Stream("live", last_id) as stream:
            found = stream.next()[0]
            if last_id is None:
                first = int(found.split("-")[1])
            for _ in range(3):
                last_id, kind, event = stream.next()
                equal((kind, last_id), (event["type"], event["event_id"]))
                seen.append(int(last_id.split("-")[1]))
    equal(seen, list(range(first + 1, first + 1 + len(seen))))


@promise
def a_trip_that_two_partitions_write_resumes_by_an_id_for_each():
    with Stream("moved") as stream:
        last_id, _, message = stream.next()
        equal((last_id, message["cursor"]), (",".join(message["cursor"]), ["3-0", "4-0"]))
    with Stream("moved", last_id) as stream:
        message = stream.next()[2]
        equal((message["replay_from"], "snapshot" in message), (["3-0", "4-0"], False))


@promise
def refusals_are_answers():
    for trip, token, last_id, status, code in [
        ("told", None, None, 401, "TOKEN_MISSING"),
        ("told", "expired", None, 401, "TOKEN_EXPIRED"),
        ("of_another", "rider", None, 403, "NOT_ALLOWED"),
        ("unknown", "rider", None, 404, "TRIP_NOT_FOUND"),
        ("a%20b", "rider", None, 400, "INVALID_MESSAGE"),
        ("told", "rider", "x", 400, "INVALID_MESSAGE"),
    ]:
        headers = {"Last-Event-ID": last_id} if last_id else {}
        found, _, body = request(f"/trips/{trip}/stream", token, **headers)
        equal((trip, found, body["error"]["code"]), (trip, status, code))


@promise
def a_request_by_head_begins_no_stream():
    connection = http.client.HTTPConnection(ADDRESS, timeout=DEADLINE_SECONDS)
    headers = {"Authorization": f"Bearer {TOKENS['rider']}"}
    for _ in range(2):
        connection.request("HEAD", "/trips/told/stream", headers=headers)
        answer = connection.getresponse()
        equal((answer.status, answer.getheader("Content-Type"), answer.read()), (200, "text/event-stream", b""))
    connection.request("POST", "/trips/told/stream", headers=headers)
    equal(connection.getresponse().status, 405)
    connection.close()


@promise
def pages_of_named_sites_may_read_a_stream():
    origin = "https://app.example.com"
    with Stream("told", Origin=origin) as stream:
        equal(stream.answer.getheader("Access-Control-Allow-Origin"), origin)


@promise
def a_token_that_expires_ends_the_stream():
    with Stream("told", token=brief_token(seconds=10)) as stream:
        equal(stream.next()[1], "subscribed")
        last_id, kind, message = stream.next()
        equal((last_id, kind, message["code"]), ("0-9", "error", "TOKEN_EXPIRED"))
        equal(stream.answer.read(), b"")


@promise
def a_stream_without_events_shows_that_it_is_alive():
    with Stream("told") as stream:
        stream.next()
        equal(next(stream.events), None)


@promise
def streams_whose_clients_have_gone_are_ended():
    # The gateway may still be ending the streams of the promises above.
    wait_until(lambda: counted("sightline_gateway_streams") == 0)
    streams = [Stream("told") for _ in range(5)]
    for stream in streams:
        stream.next()
    wait_until(lambda: counted("sightline_gateway_streams") == 5)
    for stream in streams:
        stream.close()
    wait_until(lambda: counted("sightline_gateway_streams") == 0)


run()
