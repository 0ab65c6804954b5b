#!/usr/bin/env python3
"""Follows trips and routes over a rider-gateway, and resumes after lost connections.

    pip install websockets
    export SIGHTLINE_TOKEN=$(sightline token --trip tr_4e5f)
    python3 Examples/follow.py trip:tr_4e5f

Prints all messages unchanged, or writes them to a file with --log. A line {"type":"connected",…} marks the beginning
of each connection. docs/gateway.md describes the messages.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

FIRST_WAIT, LONGEST_WAIT = 0.5, 15  # seconds: upper bounds of the first delay before reconnecting, and of all delays
ACKNOWLEDGEMENT_INTERVAL = 0.125  # seconds; the gateway accepts ten messages a second from a client


class Refused(Exception):
    """The gateway refuses the token; reconnecting with the same one would not help."""


class Follower:
    """A client that reconnects and resumes each channel."""

    def __init__(self, options, output):
        self.options = options
        self.output = output
        # The last event of each source, per channel. The source is the text before the first "-" of an event id: "3" in
        # "3-184467", and "t3" in "t3-512".
        self.cursors = {channel: {} for channel in options.channels}
        # Channels with events that are not acknowledged yet, oldest first.
        self.unacknowledged = []
        self.connections = self.events = self.snapshots = 0

    async def run(self):
        attempt = 0
        while True:
            self.has_joined, self.retry_after = False, None
            try:
                await self.follow()
            except (OSError, WebSocketException, asyncio.TimeoutError) as error:
                print(f"The connection ended: {error}", file=sys.stderr)
            attempt = 0 if self.has_joined else attempt + 1
            # Full jitter, so that clients that lost their connections together do not reconnect together.
            wait = random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2**attempt))
            await asyncio.sleep(wait if self.retry_after is None else self.retry_after)

    async def follow(self):
        """Follows the channels over one connection until it ends."""
        # Browsers cannot set this header and put the token into the address instead: /realtime?token=…
        headers = {"Authorization": f"Bearer {self.options.token}"}
        # The clients of this process connect one after the other, so each may have to wait.
        patience = max(10, self.options.clients / 4)  # seconds
        async with connect(
            self.options.url, additional_headers=headers, max_size=None, open_timeout=patience
        ) as socket:
            self.connections += 1
            self.write(json.dumps({"type": "connected", "connection": self.connections}))
            if self.options.reconnect_every:
                # Without a closing handshake, like a lost network.
                asyncio.get_running_loop().call_later(self.options.reconnect_every, socket.transport.abort)
            # Ten messages a second, as many as the gateway accepts.
            tasks = {asyncio.create_task(self.subscribe(socket, channel, number / 10))
                     for number, channel in enumerate(self.cursors)}
            self.unacknowledged = []
            if self.options.acknowledge:
                tasks.add(asyncio.create_task(self.acknowledge(socket)))
            try:
                async for text in socket:
                    self.write(text)
                    retry = self.handle(json.loads(text))
                    if retry:
                        tasks.add(asyncio.create_task(self.subscribe(socket, *retry)))
            finally:
                for task in tasks:
                    task.cancel()

    async def subscribe(self, socket, channel, wait):
        """Subscribes to a channel after `wait` seconds; resumes after the last events that this client has."""
        await asyncio.sleep(wait)
        message = {"type": "subscribe", "channel": channel}
        if self.cursors[channel]:
            message["last_event_id"] = list(self.cursors[channel].values())
        if self.options.acknowledge:
            message["acknowledge"] = True
        with contextlib.suppress(ConnectionClosed):
            await socket.send(json.dumps(message))

    async def acknowledge(self, socket):
        """Acknowledges received events, with one message for all events of a channel."""
        # Starts after the subscriptions, which count towards the message rate.
        await asyncio.sleep(len(self.cursors) / 10)
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(ACKNOWLEDGEMENT_INTERVAL)
                if self.unacknowledged:
                    channel = self.unacknowledged.pop(0)
                    events = list(self.cursors[channel].values())
                    await socket.send(json.dumps({"type": "ack", "channel": channel, "event_id": events}))

    def handle(self, message):
        """Processes a message; returns a channel to subscribe to again and the delay in seconds, or None."""
        if "event_id" in message:
            self.events += 1
            self.advance(message["channel"], message["event_id"])
            # Positions need no acknowledgement: the next one replaces them.
            if message["type"] != "driver_location" and message["channel"] not in self.unacknowledged:
                self.unacknowledged.append(message["channel"])
        elif message["type"] == "subscribed":
            self.has_joined = True
            # A snapshot includes all events up to the message's cursor. Without a snapshot, the missed events follow,
            # and each of them advances the cursor.
            if "snapshot" in message:
                self.snapshots += 1
                self.cursors[message["channel"]] = {}
                for event in message["cursor"]:
                    self.advance(message["channel"], event)
        elif message["type"] == "error":
            return self.handle_error(message)

    def handle_error(self, error):
        print(f"{error['code']}: {error['message']}", file=sys.stderr)
        wait = error.get("retry_after_ms", 2000) / 1000
        if error["code"].startswith("TOKEN_"):
            raise Refused(error["message"])
        if error["code"] == "SERVER_CLOSING":
            self.retry_after = wait
        # The trip may begin later, or its state may be unavailable for a moment.
        if error["code"] in ("TRIP_NOT_FOUND", "TRY_AGAIN") and "channel" in error:
            return error["channel"], wait * random.uniform(1, 2)

    def advance(self, channel, event):
        self.cursors[channel][event.split("-")[0]] = event

    def write(self, text):
        print(text, file=self.output, flush=True)


def options():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog="Needs: pip install websockets. The protocol: docs/gateway.md.")
    parser.add_argument("channels", metavar="CHANNEL", nargs="+", help="such as trip:tr_4e5f or route:17")
    parser.add_argument("--url", default="ws://127.0.0.1:8080/realtime", help="address of the gateway (%(default)s)")
    parser.add_argument("--token", default=os.environ.get("SIGHTLINE_TOKEN"), help="default: SIGHTLINE_TOKEN")
    parser.add_argument("--log", metavar="FILE",
                        help="write all messages to FILE; with several clients to FILE.1, FILE.2, …")
    parser.add_argument("--clients", metavar="N", type=int, default=1,
                        help="number of clients that follow the same channels (1)")
    parser.add_argument("--reconnect-every", metavar="SECONDS", type=float, help="cut each connection after this time")
    parser.add_argument("--acknowledge", action="store_true",
                        help="acknowledge events, so that the gateway notices within seconds if this program hangs")
    parser.add_argument("--seconds", metavar="N", type=float, help="stop after N seconds (default: at Ctrl-C)")
    found = parser.parse_args()
    if not found.token:
        parser.error("a token is missing: give --token, or set SIGHTLINE_TOKEN; `sightline token` makes one")
    return found


def allow_descriptors(count):
    """Raises the limit of open files and sockets if it is too low."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def main(options):
    # A socket and a log file per client, and the files of Python itself.
    allow_descriptors(2 * options.clients + 64)
    with contextlib.ExitStack() as files:
        followers = []
        for number in range(1, options.clients + 1):
            name = f"{options.log}.{number}" if options.clients > 1 else options.log
            output = files.enter_context(open(name, "w", encoding="utf-8")) if options.log else sys.stdout
            followers.append(Follower(options, output))
        try:
            await asyncio.wait_for(asyncio.gather(*(one.run() for one in followers)), options.seconds)
        except asyncio.TimeoutError:
            pass
        for number, one in enumerate(followers, 1):
            print(f"client {number}: {one.events} events over {one.connections} connections, "
                  f"{one.snapshots} snapshots", file=sys.stderr)


if __name__ == "__main__":
    try:
        asyncio.run(main(options()))
    except Refused as refused:
        sys.exit(f"follow: {refused}")
    except KeyboardInterrupt:
        pass
