#!/usr/bin/env python3
"""A network with faults: a TCP proxy between clients and a server on this machine.

    faulty_network.py --to PORT [--seed N] FAULT …     FAULT: cut, tunnel, loss, delay or kill-every

Each fault has a port of its own on 127.0.0.1. The first line of standard output names them, with the seed of all random
numbers: {"ports":{"cut":40123},"seed":7}. Then every fault that is injected is a line, such as
{"fault":"cut","connection":3}. Runs until it is ended.

    cut         each connection is reset (RST) after 1 to 5 s
    tunnel      in each connection, after 1 to 4 s nothing passes for 2 to 4 s, in both directions; then everything that
                was held back, or, half of the times, a reset; and again
    loss        20 % of the segments are lost
    delay       each segment takes 2 to 5 s, and none overtakes another
    kill-every  all connections are reset every --period seconds (30)
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
# Linux retransmits after 200 ms at the earliest, and waits twice as long after each further loss of the same segment.
FIRST_RETRANSMISSION_SECONDS, LONGEST_RETRANSMISSION_SECONDS = 0.2, 3.2


def now():
    return asyncio.get_running_loop().time()


class Connection:
    """A client's connection through the proxy: one TCP connection to each side."""

    def __init__(self, number, client, server):
        self.number = number
        self.writers = (client, server)
        self.passes = asyncio.Event()  # cleared while nothing passes
        self.passes.set()

    def reset(self):
        """Ends both sides by RST, without what was not sent yet."""
        for writer in self.writers:
            side = writer.get_extra_info("socket")
            # Fails where the side is closed already.
            with contextlib.suppress(OSError):
                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        # What waits for the end of a tunnel finds its connection closed.
        self.passes.set()


class Fault:
    """Disturbs nothing; each fault replaces what it needs."""

    name = None

    def __init__(self, seed, options):
        self.random = random.Random(f"{seed} {self.name}")
        self.options = options

    def note(self, connection, **details):
        print(json.dumps({"fault": self.name, "connection": connection.number} | details), flush=True)

    def arrival(self, connection, previous):
        """When a segment that is sent now arrives, in seconds of the loop's clock; `previous`: the one before it."""
        return previous

    async def disturb(self, connection):
        """Runs as long as the connection is open."""

    async def disturb_all(self, connections):
        """Runs as long as the proxy."""


class Cut(Fault):
    name = "cut"

    async def disturb(self, connection):
        await asyncio.sleep(self.random.uniform(1, 5))
        self.note(connection)
        connection.reset()


class Tunnel(Fault):
    name = "tunnel"

    async def disturb(self, connection):
        while True:
            await asyncio.sleep(self.random.uniform(1, 4))
            connection.passes.clear()
            seconds, is_lost = self.random.uniform(2, 4), self.random.random() < 0.5
            self.note(connection, seconds=round(seconds, 3), reset=is_lost)
            await asyncio.sleep(seconds)
            if is_lost:
                return connection.reset()
            connection.passes.set()


class Loss(Fault):
    """Packets that are lost, as the two ends of a TCP connection notice them.

    TCP hides a loss: the segment is sent again after a timeout, and everything behind it waits in the receiver's kernel
    (head-of-line blocking). A proxy cannot drop bytes of a stream, so each segment that is lost stalls its direction for
    the timeout, twice as long for each time that it is lost again. Fast retransmission is left out: it needs three
    further segments in flight, which a connection with one message at a time does not have.
    """

    name = "loss"

    def arrival(self, connection, previous):
        stall, timeout = 0, FIRST_RETRANSMISSION_SECONDS
        while self.random.random() < LOSS_SHARE:
            stall += timeout
            timeout = min(2 * timeout, LONGEST_RETRANSMISSION_SECONDS)
        if stall:
            self.note(connection, seconds=round(stall, 3))
        return max(now(), previous) + stall


class Delay(Fault):
    name = "delay"

    def arrival(self, connection, previous):
        seconds = self.random.uniform(2, 5)
        self.note(connection, seconds=round(seconds, 3))
        return max(now() + seconds, previous)


class KillEvery(Fault):
    name = "kill-every"

    async def disturb_all(self, connections):
        while True:
            await asyncio.sleep(self.options.period)
            for connection in list(connections):
                self.note(connection)
                connection.reset()


FAULTS = {fault.name: fault for fault in (Cut, Tunnel, Loss, Delay, KillEvery)}


class Proxy:
    """Listens at a port of its own, and passes everything on through its fault."""

    def __init__(self, fault, server_port):
        self.fault = fault
        self.server_port = server_port
        self.connections = set()
        self.count = 0

    async def listen(self):
        """Returns the port."""
        self.server = await asyncio.start_server(self.accept, HOST, 0)
        self.disturbing = asyncio.create_task(self.fault.disturb_all(self.connections))
        return self.server.sockets[0].getsockname()[1]

    async def close(self):
        """Resets all connections, and takes no more."""
        self.disturbing.cancel()
        self.server.close()
        while self.connections:
            for connection in list(self.connections):
                connection.reset()
            await asyncio.sleep(0.01)

    async def accept(self, client_reader, client):
        try:
            server_reader, server = await asyncio.open_connection(HOST, self.server_port)
        except OSError:
            # What a client sees where nothing listens.
            client.transport.abort()
            return
        self.count += 1
        connection = Connection(self.count, client, server)
        self.connections.add(connection)
        disturbing = asyncio.create_task(self.fault.disturb(connection))
        try:
            await asyncio.gather(self.carry(connection, client_reader, server),
                                 self.carry(connection, server_reader, client))
        except OSError:
            connection.reset()
        finally:
            disturbing.cancel()
            self.connections.discard(connection)
            for writer in connection.writers:
                writer.close()

    async def carry(self, connection, reader, writer):
        """Passes one direction on, to its end."""
        segments = asyncio.Queue(SEGMENTS_IN_FLIGHT)
        taking = asyncio.create_task(self.take(connection, reader, segments))
        try:
            await self.give(connection, segments, writer)
        finally:
            taking.cancel()

    async def take(self, connection, reader, segments):
        arrival = now()
        # A side that resets the connection ends this direction as one that closes it.
        with contextlib.suppress(OSError):
            while data := await reader.read(SEGMENT_BYTES):
                arrival = self.fault.arrival(connection, arrival)
                await segments.put((arrival, data))
        await segments.put((arrival, b""))

    async def give(self, connection, segments, writer):
        while True:
            arrival, data = await segments.get()
            await asyncio.sleep(max(0, arrival - now()))
            await connection.passes.wait()
            if not data:
                break
            writer.write(data)
            await writer.drain()
        if not writer.is_closing():
            writer.write_eof()


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("faults", metavar="FAULT", nargs="+", choices=list(FAULTS))
    parser.add_argument("--to", metavar="PORT", type=int, required=True, help="of the server, on 127.0.0.1")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32), help="of all random numbers")
    parser.add_argument("--period", metavar="SECONDS", type=float, default=30, help="of kill-every (%(default)s)")
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
