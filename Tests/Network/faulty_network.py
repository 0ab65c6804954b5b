#!/usr/bin/env python3
"""A TCP proxy that injects network faults between clients and a server on this machine.

    faulty_network.py --to PORT [--seed N] FAULT …     FAULT: cut, tunnel, loss, delay or kill-every

The proxy listens on a separate port of 127.0.0.1 for each fault. The first line of standard output contains the ports
and the seed of all random numbers: {"ports": {"cut": 40123}, "seed": 7}. Each injected fault adds a line, such as
{"fault": "cut", "connection": 3}. The proxy runs until it is terminated.

    cut         each connection is reset (RST) after 1 to 5 s
    tunnel      after 1 to 4 s, a connection is blocked for 2 to 4 s in both directions; then it is reset (half of the
                time), or the delayed data passes and the cycle repeats
    loss        20 % of the segments are lost
    delay       each segment is delayed by 2 to 5 s, in order
    kill-every  all connections are reset every --period seconds (default 30)
"""

import argparse
import asyncio
import contextlib
import json
import random
import socket
import struct
import sys

HOST = "127.0.0.1"
SEGMENT_BYTES = 1448  # the payload of a TCP segment on Ethernet, with timestamps
SEGMENTS_IN_FLIGHT = 1024
LOSS_SHARE = 0.2
# Linux retransmits after at least 200 ms, and doubles the timeout after each further loss of the same segment.
FIRST_RETRANSMISSION_SECONDS, LONGEST_RETRANSMISSION_SECONDS = 0.2, 3.2


def now():
    return asyncio.get_running_loop().time()


class Connection:
    """A client's connection through the proxy: one TCP connection to each side."""

    def __init__(self, number, client, server):
        self.number = number
        self.writers = (client, server)
        self.is_unblocked = asyncio.Event()  # cleared in a tunnel
        self.is_unblocked.set()

    def reset(self):
        """Ends both sides with an RST, and discards unsent data."""
        for writer in self.writers:
            side = writer.get_extra_info("socket")
            # Fails if the side is already closed.
            with contextlib.suppress(OSError):
                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        # Unblocks both directions, which then fail because their connections are closed.
        self.is_unblocked.set()


class Fault:
    """A kind of fault; the base class injects nothing."""

    name = None

    def __init__(self, seed, options):
        self.random = random.Random(f"{seed} {self.name}")
        self.options = options

    def report(self, connection, **details):
        print(json.dumps({"fault": self.name, "connection": connection.number} | details), flush=True)

    def arrival(self, connection, previous):
        """Returns the arrival time of a segment that is sent now. `previous`: arrival of the previous segment."""
        return previous

    async def inject(self, connection):
        """Injects faults into a connection; cancelled when the connection closes."""

    async def inject_into_all(self, connections):
        """Injects faults into all open connections; cancelled when the proxy closes."""


class Cut(Fault):
    name = "cut"

    async def inject(self, connection):
        await asyncio.sleep(self.random.uniform(1, 5))
        self.report(connection)
        connection.reset()


class Tunnel(Fault):
    name = "tunnel"

    async def inject(self, connection):
        while True:
            await asyncio.sleep(self.random.uniform(1, 4))
            connection.is_unblocked.clear()
            seconds, is_lost = self.random.uniform(2, 4), self.random.random() < 0.5
            self.report(connection, seconds=round(seconds, 3), reset=is_lost)
            await asyncio.sleep(seconds)
            if is_lost:
                return connection.reset()
            connection.is_unblocked.set()


class Loss(Fault):
    """Packet loss, simulated by its effect on a TCP connection: a delay.

    TCP retransmits a lost segment after a timeout, and later segments wait in the receiver's kernel (head-of-line
    blocking). A proxy cannot drop bytes of a stream, so a lost segment stalls its direction for the timeout, which
    doubles for each further loss. Fast retransmission is not simulated: it needs three later segments in flight, which
    a connection with few small messages does not have.
    """

    name = "loss"

    def arrival(self, connection, previous):
        stall, timeout = 0, FIRST_RETRANSMISSION_SECONDS
        while self.random.random() < LOSS_SHARE:
            stall += timeout
            timeout = min(2 * timeout, LONGEST_RETRANSMISSION_SECONDS)
        if stall:
            self.report(connection, seconds=round(stall, 3))
        return max(now(), previous) + stall


class Delay(Fault):
    name = "delay"

    def arrival(self, connection, previous):
        seconds = self.random.uniform(2, 5)
        self.report(connection, seconds=round(seconds, 3))
        return max(now() + seconds, previous)


class KillEvery(Fault):
    name = "kill-every"

    async def inject_into_all(self, connections):
        while True:
            await asyncio.sleep(self.options.period)
            for connection in list(connections):
                self.report(connection)
                connection.reset()


FAULTS = {fault.name: fault for fault in (Cut, Tunnel, Loss, Delay, KillEvery)}


class Proxy:
    """Listens on a port, and forwards connections to the server with one fault."""

    def __init__(self, fault, server_port):
        self.fault = fault
        self.server_port = server_port
        self.connections = set()
        self.count = 0

    async def listen(self):
        """Starts to listen, and returns the port."""
        self.server = await asyncio.start_server(self.accept, HOST, 0)
        self.injection = asyncio.create_task(self.fault.inject_into_all(self.connections))
        return self.server.sockets[0].getsockname()[1]

    async def close(self):
        """Stops listening, and resets all connections."""
        self.injection.cancel()
        self.server.close()
        while self.connections:
            for connection in list(self.connections):
                connection.reset()
            await asyncio.sleep(0.01)

    async def accept(self, client_reader, client):
        try:
            server_reader, server = await asyncio.open_connection(HOST, self.server_port)
        except OSError:
            # No server listens.
            client.transport.abort()
            return
        self.count += 1
        connection = Connection(self.count, client, server)
        self.connections.add(connection)
        injection = asyncio.create_task(self.fault.inject(connection))
        try:
            await asyncio.gather(self.forward(connection, client_reader, server),
                                 self.forward(connection, server_reader, client))
        except OSError:
            connection.reset()
        finally:
            injection.cancel()
            self.connections.discard(connection)
            for writer in connection.writers:
                writer.close()

    async def forward(self, connection, reader, writer):
        """Forwards one direction until it ends."""
        segments = asyncio.Queue(SEGMENTS_IN_FLIGHT)
        reading = asyncio.create_task(self.read_segments(connection, reader, segments))
        try:
            await self.write_segments(connection, segments, writer)
        finally:
            reading.cancel()

    async def read_segments(self, connection, reader, segments):
        arrival = now()
        # A reset by the sender ends the direction like a normal close.
        with contextlib.suppress(OSError):
            while data := await reader.read(SEGMENT_BYTES):
                arrival = self.fault.arrival(connection, arrival)
                await segments.put((arrival, data))
        await segments.put((arrival, b""))

    async def write_segments(self, connection, segments, writer):
        while True:
            arrival, data = await segments.get()
            await asyncio.sleep(max(0, arrival - now()))
            await connection.is_unblocked.wait()
            if not data:
                break
            writer.write(data)
            await writer.drain()
        if not writer.is_closing():
            writer.write_eof()


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", metavar="FAULT", nargs="+", choices=list(FAULTS))
    parser.add_argument("--to", metavar="PORT", type=int, required=True, help="port of the server on 127.0.0.1")
    seed = random.SystemRandom().randrange(2**32)
    parser.add_argument("--seed", type=int, default=seed, help="seed of all random numbers (default: random)")
    parser.add_argument(
        "--period", metavar="SECONDS", type=float, default=30, help="interval of kill-every (%(default)s)")
    return parser.parse_args()


async def main(options):
    proxies = {name: Proxy(FAULTS[name](options.seed, options), options.to) for name in options.faults}
    ports = {name: await proxy.listen() for name, proxy in proxies.items()}
    print(json.dumps({"ports": ports, "seed": options.seed}), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    try:
        asyncio.run(main(options()))
    except KeyboardInterrupt:
        sys.exit(130)
