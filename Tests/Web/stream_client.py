"""Subscribes to trips by server-sent events of rider-gateway, and resumes like a browser's EventSource.

    stream_client.py ADDRESS TOKEN LOG CUT TRIP…    CUT: seconds after which the next event ends a connection, or 0

Each trip has its own log, LOG.1, LOG.2, …, with a line per message and a line {"type":"connected",…} per connection, in
the format of Examples/follow.py. Errors are printed.
"""

import http.client
import json
import sys
import threading
import time
import urllib.parse

READ_SECONDS = 60


class EventStream:
    """Parser of a response's events by the rules of the HTML standard."""

    def __init__(self, response):
        self.response = response
        self.last_id = None
        self.retry_ms = None

    def __iter__(self):
        """Yields type and data of each event, and None for each comment."""
        kind, data = "", []
        while True:
            line = self.response.readline()
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
    """Opens a stream; returns the connection and its response."""
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
            connection, response = connect(address, trip, token, last_id)
            if response.status != 200:
                raise OSError(f"{response.status} {response.read()}")
            connections += 1
            print(json.dumps({"type": "connected", "connection": connections}), file=log, flush=True)
            stream, end = EventStream(response), time.monotonic() + (cut or float("inf"))
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
