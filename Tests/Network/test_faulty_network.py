"""Tests each fault of faulty_network.py between clients and an echo server.

    python3 -m unittest discover Tests/Network
"""

import argparse
import asyncio
import unittest

import faulty_network
from faulty_network import FAULTS, HOST, Proxy

DEADLINE_SECONDS = 60
SEED = 7


async def echo(reader, writer):
    try:
        while data := await reader.read(1000):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


class FaultyNetworkTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.server = await asyncio.start_server(echo, HOST, 0)
        self.server_port = self.server.sockets[0].getsockname()[1]
        self.proxy = None
        self.reports = []

    async def asyncTearDown(self):
        for _, writer in self.clients:
            writer.close()
        await self.proxy.close()
        self.server.close()

    async def connect(self, name, count=1):
        """Opens connections through a proxy with one fault, and records the injected faults."""
        fault = FAULTS[name](SEED, argparse.Namespace(period=1))
        fault.report = lambda connection, **details: self.reports.append((connection.number, details))
        self.proxy = Proxy(fault, self.server_port)
        port = await self.proxy.listen()
        self.clients = [await asyncio.open_connection(HOST, port) for _ in range(count)]
        return self.clients

    async def round_trip_seconds(self, connection, text):
        """Sends a text, expects the echo, and returns the round-trip time in seconds."""
        reader, writer = connection
        start = faulty_network.now()
        writer.write(text)
        async with asyncio.timeout(DEADLINE_SECONDS):
            self.assertEqual(await reader.readexactly(len(text)), text)
        return faulty_network.now() - start

    async def expect_reset(self, connection):
        async with asyncio.timeout(DEADLINE_SECONDS):
            with self.assertRaises(ConnectionResetError):
                await connection[0].read()

    async def test_cut_resets_a_working_connection(self):
        [connection] = await self.connect("cut")
        await self.round_trip_seconds(connection, b"before")
        await self.expect_reset(connection)
        self.assertEqual(self.reports, [(1, {})])

    async def test_kill_every_resets_all_connections_together(self):
        connections = await self.connect("kill-every", count=3)
        await asyncio.gather(*(self.round_trip_seconds(connection, b"before") for connection in connections))
        await asyncio.gather(*(self.expect_reset(connection) for connection in connections))
        self.assertEqual(sorted(self.reports), [(1, {}), (2, {}), (3, {})])

    async def test_delay_adds_at_least_two_seconds_in_each_direction_and_keeps_the_order(self):
        [connection] = await self.connect("delay")
        text = bytes(number % 251 for number in range(5 * faulty_network.SEGMENT_BYTES))
        self.assertGreaterEqual(await self.round_trip_seconds(connection, text), 4)
        self.assertGreaterEqual(len(self.reports), 10)
        self.assertTrue(all(2 <= details["seconds"] <= 5 for _, details in self.reports))

    async def test_loss_stalls_lost_segments_and_delivers_all_bytes(self):
        [connection] = await self.connect("loss")
        seconds = 0
        while len(self.reports) < 5:
            seconds += await self.round_trip_seconds(connection, b"one segment")
        self.assertGreaterEqual(seconds, sum(details["seconds"] for _, details in self.reports) - 0.01)
        self.assertGreaterEqual(min(details["seconds"] for _, details in self.reports), 0.2)

    async def test_tunnel_blocks_a_connection_and_ends_with_its_data_or_a_reset(self):
        connections = await self.connect("tunnel", count=4)

        async def pass_tunnel(connection):
            """Returns the first round-trip time of at least 2 s, which a tunnel has caused."""
            while (seconds := await self.round_trip_seconds(connection, b"in a tunnel")) < 2:
                await asyncio.sleep(0.02)
            return seconds

        ends = await asyncio.gather(*(pass_tunnel(connection) for connection in connections), return_exceptions=True)
        resets = [end for end in ends if isinstance(end, (ConnectionResetError, asyncio.IncompleteReadError))]
        passed = [end for end in ends if isinstance(end, float)]
        self.assertEqual(len(resets) + len(passed), len(connections), ends)
        # With this seed, the tunnels of the four connections end in both ways.
        self.assertTrue(resets and passed, ends)
        self.assertGreaterEqual(sum(details["reset"] for _, details in self.reports), len(resets))

    async def test_connections_are_closed_if_no_server_listens(self):
        self.server_port = 1
        [(reader, _)] = await self.connect("cut")
        async with asyncio.timeout(DEADLINE_SECONDS):
            try:
                self.assertEqual(await reader.read(), b"")
            except ConnectionResetError:
                pass
        self.assertEqual(self.reports, [])


if __name__ == "__main__":
    unittest.main()
