"""Tests driver-gateway's limits of open connections and of memory used by slow or misbehaving devices.

    driver_connection_limits.py ADDRESS TOKENS METRICS

ADDRESS: host:port of a gateway with SIGHTLINE_DRIVER_USER_CONNECTIONS=3; TOKENS: JSON with tokens of the drivers d1 to
d100; METRICS: the URL of the gateway's metrics (GatewayConnectionLimitTests.swift).
"""

import asyncio
import json
import sys
import time

from driver_client import Device, location, post
from protocol_test import DEADLINE_SECONDS, equal, memory_growth_below, run, test
from raw_socket import frame, handshake, is_closed, send_pings

ADDRESS, TOKENS, METRICS = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
ALLOWED = 3
MEBIBYTE = 1 << 20


@test
async def limits_sockets_of_a_driver():
    devices = []
    for _ in range(ALLOWED):
        device = Device(ADDRESS, f"?token={TOKENS['d1']}")
        await device.__aenter__()
        devices.append(device)
        equal((await device.next())["type"], "welcome")
    async with Device(ADDRESS, f"?token={TOKENS['d1']}") as device:
        equal((await device.next())["code"], "RATE_LIMITED")
        equal(await device.closed(), 4429)
    async with Device(ADDRESS, f"?token={TOKENS['d2']}") as device:
        equal((await device.next())["type"], "welcome")
    for device in devices:
        await device.__aexit__()


@test
def unfinished_messages_use_bounded_memory_and_do_not_block_others():
    connections = []
    with memory_growth_below(200e6, METRICS):
        for number in range(3, 101):
            for _ in range(ALLOWED):
                connection = handshake(ADDRESS, "/drivers/realtime", TOKENS[f"d{number}"])
                connections.append(connection)
                try:
                    # A message of 1 MiB without its last byte; 294 MiB in total.
                    connection.sendall(frame(1, b"[" + b" " * (MEBIBYTE - 1))[:-1])
                except OSError:
                    pass
    assert any(is_closed(connection) for connection in connections[:20]), "none of the oldest connections is closed"
    equal(post(ADDRESS, "d2", location(1), TOKENS["d2"])[0], 200)
    for connection in connections:
        connection.close()


@test
def unread_pongs_use_bounded_memory():
    connection = handshake(ADDRESS, "/drivers/realtime", TOKENS["d2"], receive_buffer=4096)
    with memory_growth_below(20e6, METRICS):
        send_pings(connection)
    connection.close()


@test
async def acknowledges_a_large_batch_received_in_many_pieces():
    fixes = [location(number)["payload"] | {"sequence": number, "session_id": "pieces"} for number in range(1, 501)]
    body = json.dumps({"locations": fixes})
    connection = handshake(ADDRESS, "/drivers/realtime", TOKENS["d2"])
    whole = frame(1, body.encode())
    for start in range(0, len(whole), 5000):
        connection.sendall(whole[start : start + 5000])
        await asyncio.sleep(0.001)
    received, end = b"", time.monotonic() + DEADLINE_SECONDS
    while b'"type":"ack"' not in received:
        assert time.monotonic() < end
        part = connection.recv(65536)
        assert part, received
        received += part
    connection.close()


run(threads=8)
