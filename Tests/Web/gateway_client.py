"""A client of rider-gateway for its tests: one WebSocket, requests, and tokens that end soon.

The programs that use it are called with HOST PORT TOKENS LOG; TOKENS: JSON with tokens by name, and the secret that they
are signed with; LOG: gets what the gateway sends, one message a line (see GatewayProtocolTests.swift).
"""

import asyncio
import base64
import hashlib
import hmac
import json
import sys
import time
import urllib.error
import urllib.request

import websockets

HOST, PORT = sys.argv[1], int(sys.argv[2])
TOKENS = json.loads(sys.argv[3])
LOG = open(sys.argv[4], "a")
DEADLINE_SECONDS = 60
# For how long a gateway takes a token after its end.
LEEWAY_SECONDS = 30


class Client:
    """A connection that has been welcomed."""

    def __init__(self, token="rider", query=None):
        query = f"?token={TOKENS.get(token, token)}" if query is None else query
        self.address = f"ws://{HOST}:{PORT}/realtime{query}"

    async def __aenter__(self):
        self.socket = await websockets.connect(self.address, max_size=None, ping_interval=None)
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def send(self, **message):
        await self.socket.send(json.dumps(message))

    async def next(self, *types):
        """The next message of one of these types; others are left out."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            while True:
                # As it came, for those who compare bytes.
                self.text = await self.socket.recv()
                print(self.text, file=LOG, flush=True)
                message = json.loads(self.text)
                if not types or message["type"] in types:
                    return message

    async def closed(self):
        """The code by which the gateway closes the connection."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            await self.socket.wait_closed()
        return self.socket.close_code


def request(path, token="rider", **headers):
    """Status, headers and JSON of an answer."""
    if token:
        headers["Authorization"] = f"Bearer {TOKENS[token]}"
    url = f"http://{HOST}:{PORT}{path}"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=DEADLINE_SECONDS) as answer:
            return answer.status, answer.headers, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read() or b"null")


def brief_token(seconds):
    """The rider's token, taken for this long from now on; signed here, since one made before may have expired."""
    header, claims, _ = TOKENS["rider"].split(".")
    content = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    content["exp"] = int(time.time()) - LEEWAY_SECONDS + seconds

    def encoded(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    signed = f"{header}.{encoded(json.dumps(content).encode())}"
    signature = hmac.digest(TOKENS["secret"].encode(), signed.encode(), hashlib.sha256)
    return f"{signed}.{encoded(signature)}"
