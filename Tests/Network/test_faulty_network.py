"""Each fault of faulty_network.py, between a client and a server that echoes.

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
        self.notes = []

    async def asyncTearDown(self):
        for _, writer in self.clients:
            writer.close()
        await self.proxy.close()
        self.server.close()

    async def connect(self, name, count=1):
        """Connections through a proxy with one fault, whose notes are kept."""
        fault = FAULTS[name](SEED, argparse.Namespace(period=1))
        fault.note = lambda connection, **details: self.notes.append((connection.number, details))
        self.proxy = Proxy(fault, self.server_port)
        port = await self.proxy.listen()
        self.clients = [await asyncio.open_connection(HOST, port) for _ in range(count)]
        return self.clients

    async def ask(self, connection, text):
        """Sends a text and expects it back; returns how long that took, in seconds."""
        reader, writer = connection
        began = faulty_network.now()
        writer.write(text)
        async with asyncio.timeout(DEADLINE_SECONDS):
            self.assertEqual(await reader.readexactly(len(text)), text)
        return faulty_network.now() - began

    async def expect_reset(self, connection):
        async with asyncio.timeout(DEADLINE_SECONDS):
            with self.assertRaises(ConnectionResetError):
                await connection[0].read()

    async def test_cut_resets_a_connection_that_worked(self):
        [connection] = await self.connect("cut")
        await self.ask(connection, b"before")
        await self.expect_reset(connection)
        self.assertEqual(self.notes, [(1, {})])

    async def test_kill_every_resets_all_connections_together(self):
        connections = await self.connect("kill-every", count=3)
        await asyncio.gather(*(self.ask(connection, b"before") for connection in connections))
        await asyncio.gather(*(self.expect_reset(connection) for connection in connections))
        self.assertEqual(sorted(self.notes), [(1, {}), (2, {}), (3, {})])

    async def test_delay_takes_two_seconds_each_way_and_keeps_the_order(self):
        [connection] = await self.connect("delay")
        text = bytes(number % 251 for number in range(5 * faulty_network.SEGMENT_BYTES))
        self.assertGreaterEqual(await self.ask(connection, text), 4)
        self.assertGreaterEqual(len(self.notes), 10)
        self.assertTrue(all(2 <= details["seconds"] <= 5 for _, details in self.notes))

    async def test_loss_stalls_the_segments_that_are_lost_and_loses_no_byte(self):
        [connection] = await self.connect("loss")
        seconds = 0
        while len(self.notes) < 5:
            seconds += await self.ask(connection, b"one segment")
        self.assertGreaterEqual(seconds, sum(details["seconds"] for _, details in self.notes) - 0.01)
        self.assertGreaterEqual(min(details["seconds"] for _, details in self.notes), 0.2)

    async def test_in_a_tunnel_nothing_passes_until_it_ends_or_the_connection_is_reset(self):
        connections = await self.connect("tunnel", count=4)

        async def pass_tunnel(connection):
            """How long the answer took that a tunnel held back, in seconds."""
            while (seconds := await self.ask(connection, b"on the way")) < 2:
                await asyncio.sleep(0.02)
            return seconds

        ends = await asyncio.gather(*(pass_tunnel(connection) for connection in connections), return_exceptions=True)
        resets = [end for end in ends if isinstance(end, (ConnectionResetError, asyncio.IncompleteReadError))]
        passed = [end for end in ends if isinstance(end, float)]
        self.assertEqual(len(resets) + len(passed), len(connections), ends)
        # Of four tunnels with this seed.
        self.assertTrue(resets and passed, ends)
        self.assertGreaterEqual(sum(details["reset"] for _, details in self.notes), len(resets))

    async def test_where_no_server_listens_connections_are_closed(self):
        self.server_port = 1
        [(reader, _)] = await self.connect("cut")
        async with asyncio.timeout(DEADLINE_SECONDS):
            try:
                self.assertEqual(await reader.read(), b"")
            except ConnectionResetError:
                pass
        self.assertEqual(self.notes, [])


if __name__ == "__main__":
    unittest.main()
