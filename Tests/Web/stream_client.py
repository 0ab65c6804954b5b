"""Follows trips by streams of rider-gateway (server-sent events), and resumes as a browser's EventSource does.

    stream_client.py ADDRESS TOKEN LOG CUT TRIP…    CUT: seconds after which a connection is cut, 0 for never

Each trip has a log of its own, LOG.1, LOG.2, …, with a line for each message, and a line {"type":"connected",…} where a
connection begins, as Examples/follow.py writes them. Errors are printed.
"""

import http.client
import json
import sys
import threading
import time
import urllib.parse

READ_SECONDS = 60


class EventStream:
    """The events of an answer, by the rules of the HTML standard."""

    def __init__(self, answer):
        self.answer = answer
        self.last_id = None
        self.retry_ms = None

    def __iter__(self):
        """Type and data of each event; comments as None."""
        kind, data = "", []
        while True:
            line = self.answer.readline()
            if not line.endswith(b"\n"):
                return
            line = line.rstrip(b"\r\n").decode()
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if not line:
                if data:
                    yield kind or "message", "\n".join(data)
                kind, data = "", []
            elif line.startswith(":"):
                yield None
            elif name == "id":
                self.last_id = value
            elif name == "event":
                kind = value
            elif name == "data":
                data.append(value)
            elif name == "retry":
                self.retry_ms = int(value)


def connect(address, trip, token, last_id=None, **headers):
    """A connection, and the answer that has begun on it."""
    connection = http.client.HTTPConnection(address, timeout=READ_SECONDS)
    headers["Authorization"] = f"Bearer {token}"
    if last_id:
        headers["Last-Event-ID"] = last_id
    connection.request("GET", f"/trips/{urllib.parse.quote(trip)}/stream", headers=headers)
    return connection, connection.getresponse()


def follow(address, token, trip, log, cut):
    last_id, retry_ms, connections = None, 500, 0
    while True:
        try:
            connection, answer = connect(address, trip, token, last_id)
            if answer.status != 200:
                raise OSError(f"{answer.status} {answer.read()}")
            connections += 1
            print(json.dumps({"type": "connected", "connection": connections}), file=log, flush=True)
            stream, end = EventStream(answer), time.monotonic() + (cut or float("inf"))
            for event in stream:
                if event and event[0] == "error":
                    print(event[1], flush=True)
                elif event:
                    print(event[1], file=log, flush=True)
                last_id, retry_ms = stream.last_id or last_id, stream.retry_ms or retry_ms
                if time.monotonic() > end:
                    break
            connection.close()
        except (OSError, http.client.HTTPException) as error:
            print(f"The stream of {trip} ended: {error!r}", flush=True)
        time.sleep(retry_ms / 1000)


def main():
    address, token, path, cut, *trips = sys.argv[1:]
    for number, trip in enumerate(trips, 1):
        log = open(f"{path}.{number}", "w", encoding="utf-8")
        threading.Thread(target=follow, args=(address, token, trip, log, float(cut))).start()


if __name__ == "__main__":
    main()
