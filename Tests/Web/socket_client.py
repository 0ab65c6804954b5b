"""A WebSocket of a test client, with JSON messages."""

import asyncio
import json

import websockets

from protocol_test import DEADLINE_SECONDS


class SocketClient:
    """A WebSocket that is open within `async with`."""

    # File for all received messages, one per line; None for no log.
    log = None

    def __init__(self, url, **headers):
        self.url = url
        self.headers = headers

    async def __aenter__(self):
        self.socket = await websockets.connect(
            self.url, max_size=None, ping_interval=None, additional_headers=self.headers)
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def send(self, **message):
        await self.socket.send(json.dumps(message))

    async def next(self, *types):
        """Skips messages of types other than `types`, if any, and returns the next message."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            while True:
                # The original text, for tests that log it.
                self.text = await self.socket.recv()
                if self.log:
                    print(self.text, file=self.log, flush=True)
                message = json.loads(self.text)
                if not types or message["type"] in types:
                    return message

    async def closed(self):
        """Waits until the gateway closes the connection, and returns the close code."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            await self.socket.wait_closed()
        return self.socket.close_code
