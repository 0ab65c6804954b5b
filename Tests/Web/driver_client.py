"""A driver's device for the tests of driver-gateway: one WebSocket, and requests."""

import asyncio
import json
import urllib.error
import urllib.request

import websockets

DEADLINE_SECONDS = 60


class Device:
    """A connection that is open; its first message has not been read."""

    # Where every message that comes is written to, one a line; None where it is not.
    log = None

    def __init__(self, address, query, **headers):
        self.address = f"ws://{address}/drivers/realtime{query}"
        self.headers = headers

    async def __aenter__(self):
        self.socket = await websockets.connect(
            self.address, max_size=None, ping_interval=None, additional_headers=self.headers
        )
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def send(self, **message):
        await self.socket.send(json.dumps(message))

    async def next(self, *types):
        """The next message of one of these types; others are left out."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            while True:
                text = await self.socket.recv()
                if self.log:
                    print(text, file=self.log, flush=True)
                message = json.loads(text)
                if not types or message["type"] in types:
                    return message

    async def acknowledged(self, records):
        """The acknowledgement that covers this many records of the connection, and the message ids of all of them."""
        ids = []
        while True:
            message = await self.next("ack", "error")
            assert message["type"] == "ack", message
            ids += message["message_ids"]
            if message["records"] >= records:
                return message, ids

    async def closed(self):
        """The code by which the gateway closes the connection."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            await self.socket.wait_closed()
        return self.socket.close_code


def location(sequence, session="s1", **payload):
    """A location of the ride-hailing design."""
    fix = {"latitude": 37.7751, "longitude": -122.4183, "accuracy_meters": 5.2, "speed_mps": 12.5}
    return {"type": "location", "session_id": session, "sequence": sequence, "payload": {**fix, **payload}}


def post(address, driver, body, token=None, query="", **headers):
    """Status, headers and JSON of the answer to a request with locations."""
    return post_to(f"http://{address}/drivers/{driver}/locations{query}", body, token, **headers)


def post_to(url, body, token=None, **headers):
    """Status, headers and JSON of the answer to a request with a body."""
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        request = urllib.request.Request(url, data=data, headers=headers, method="POST")
        with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as answer:
            return answer.status, answer.headers, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read() or b"null")
