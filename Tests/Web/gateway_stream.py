"""Tests the event streams of rider-gateway (docs/gateway.md).

    gateway_stream.py HOST PORT TOKENS LOG METRICS    HOST PORT TOKENS LOG: see gateway_client.py; METRICS: the URL of
                                                      the gateway's metrics
"""

import http.client
import json
import sys

from gateway_client import HOST, PORT, TOKENS, brief_token, request
from protocol_test import DEADLINE_SECONDS, equal, metric, run, test, wait_until
from stream_client import EventStream, connect

METRICS = sys.argv[5]
ADDRESS = f"{HOST}:{PORT}"


class Stream:
    """An open event stream of a trip."""

    def __init__(self, trip, last_id=None, token=None, **headers):
        self.connection, self.response = connect(ADDRESS, trip, token or TOKENS["rider"], last_id, **headers)
        equal((self.response.status, self.response.getheader("Content-Type")), (200, "text/event-stream"))
        self.stream = EventStream(self.response)
        self.events = iter(self.stream)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        # The socket is closed only after both are closed.
        self.response.close()
        self.connection.close()

    def next(self):
        """Returns the next event as (id, type, JSON)."""
        for event in self.events:
            if event:
                return self.stream.last_id, event[0], json.loads(event[1])
        raise AssertionError("the stream ended")


def open_streams():
    return metric(METRICS, "sightline_gateway_streams")


@test
def a_stream_starts_with_a_snapshot():
    with Stream("known") as stream:
        last_id, kind, message = stream.next()
        equal((kind, message["type"], message["replay_from"]), ("subscribed", "subscribed", None))
        equal((message["snapshot"]["state"], message["snapshot"]["position"]["latitude"]), ("IN_PROGRESS", 9))
        equal((last_id, message["cursor"]), ("0-9", ["0-9"]))
        assert stream.stream.retry_ms > 0


@test
def a_stream_resumes_with_the_missed_events_in_order():
    for path, header in [("known", "0-4"), ("known/stream?last_event_id=0-4&", None)]:
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


@test
def an_unknown_id_gets_a_snapshot():
    with Stream("known", "0-999999") as stream:
        assert "snapshot" in stream.next()[2]


@test
def interrupted_streams_resume_without_gaps():
    last_id, seen = None, []
    for _ in range(8):
        with Stream("live", last_id) as stream:
            start_id = stream.next()[0]
            if last_id is None:
                first = int(start_id.split("-")[1])
            for _ in range(3):
                last_id, kind, event = stream.next()
                equal((kind, last_id), (event["type"], event["event_id"]))
                seen.append(int(last_id.split("-")[1]))
    equal(seen, list(range(first + 1, first + 1 + len(seen))))


@test
def a_trip_of_two_partitions_resumes_from_two_ids():
    with Stream("moved") as stream:
        last_id, _, message = stream.next()
        equal((last_id, message["cursor"]), (",".join(message["cursor"]), ["3-0", "4-0"]))
    with Stream("moved", last_id) as stream:
        message = stream.next()[2]
        equal((message["replay_from"], "snapshot" in message), (["3-0", "4-0"], False))


@test
def errors_have_status_and_code():
    for trip, token, last_id, status, code in [
        ("known", None, None, 401, "TOKEN_MISSING"),
        ("known", "expired", None, 401, "TOKEN_EXPIRED"),
        ("of_another", "rider", None, 403, "NOT_ALLOWED"),
        ("unknown", "rider", None, 404, "TRIP_NOT_FOUND"),
        ("a%20b", "rider", None, 400, "INVALID_MESSAGE"),
        ("known", "rider", "x", 400, "INVALID_MESSAGE"),
    ]:
        headers = {"Last-Event-ID": last_id} if last_id else {}
        actual, _, body = request(f"/trips/{trip}/stream", token, **headers)
        equal((trip, actual, body["error"]["code"]), (trip, status, code))


@test
def head_requests_start_no_stream():
    connection = http.client.HTTPConnection(ADDRESS, timeout=DEADLINE_SECONDS)
    headers = {"Authorization": f"Bearer {TOKENS['rider']}"}
    for _ in range(2):
        connection.request("HEAD", "/trips/known/stream", headers=headers)
        response = connection.getresponse()
        equal((response.status, response.getheader("Content-Type"), response.read()), (200, "text/event-stream", b""))
    connection.request("POST", "/trips/known/stream", headers=headers)
    equal(connection.getresponse().status, 405)
    connection.close()


@test
def pages_of_allowed_origins_can_read_a_stream():
    origin = "https://app.example.com"
    with Stream("known", Origin=origin) as stream:
        equal(stream.response.getheader("Access-Control-Allow-Origin"), origin)


@test
def an_expired_token_ends_the_stream():
    with Stream("known", token=brief_token(seconds=10)) as stream:
        equal(stream.next()[1], "subscribed")
        last_id, kind, message = stream.next()
        equal((last_id, kind, message["code"]), ("0-9", "error", "TOKEN_EXPIRED"))
        equal(stream.response.read(), b"")


@test
def an_idle_stream_sends_comments():
    with Stream("known") as stream:
        stream.next()
        equal(next(stream.events), None)


@test
def streams_of_disconnected_clients_end():
    # The gateway may still be closing the streams of earlier tests.
    wait_until(lambda: open_streams() == 0, "earlier streams end")
    streams = [Stream("known") for _ in range(5)]
    for stream in streams:
        stream.next()
    wait_until(lambda: open_streams() == 5, "five streams are open")
    for stream in streams:
        stream.close()
    wait_until(lambda: open_streams() == 0, "the streams end")


run()
