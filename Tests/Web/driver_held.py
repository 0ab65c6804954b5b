"""What devices may hold open at driver-gateway, and what they cannot fill.

    driver_held.py ADDRESS TOKENS METRICS    ADDRESS: of a gateway with SIGHTLINE_DRIVER_USER_CONNECTIONS=3;
                                             TOKENS: JSON with tokens of the drivers d1 to d100; METRICS: the URL of its
                                             metrics
"""

import asyncio
import json
import re
import sys
import time
import urllib.request

from driver_client import DEADLINE_SECONDS, Device, location, post
from promises import equal, promise, run
from raw_socket import frame, handshake, is_closed

ADDRESS, TOKENS, METRICS = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
ALLOWED = 3
MEBIBYTE = 1 << 20


def resident():
    with urllib.request.urlopen(METRICS, timeout=DEADLINE_SECONDS) as answer:
        found = re.search(r"^process_resident_memory_bytes (\S+)$", answer.read().decode(), re.MULTILINE)
    return float(found[1])


@promise
async def sockets_of_a_driver_are_limited():
    held = []
    for _ in range(ALLOWED):
        device = Device(ADDRESS, f"?token={TOKENS['d1']}")
        await device.__aenter__()
        held.append(device)
        equal((await device.next())["type"], "welcome")
    async with Device(ADDRESS, f"?token={TOKENS['d1']}") as device:
        equal((await device.next())["code"], "RATE_LIMITED")
        equal(await device.closed(), 4429)
    async with Device(ADDRESS, f"?token={TOKENS['d2']}") as device:
        equal((await device.next())["type"], "welcome")
    for device in held:
        await device.__aexit__()


@promise
def unfinished_messages_hold_a_bounded_memory_and_the_last_client_is_served():
    before = resident()
    connections = []
    for number in range(3, 101):
        for _ in range(ALLOWED):
            connection = handshake(ADDRESS, "/drivers/realtime", TOKENS[f"d{number}"])
            connections.append(connection)
            try:
                # All of a message of 1 MiB but its last byte.
                connection.sendall(frame(1, b"[" + b" " * (MEBIBYTE - 1))[:-1])
            except OSError:
                pass
    # 294 MiB were sent.
    grown = resident() - before
    assert grown < 200e6, f"{grown / 1e6} MB"
    assert any(is_closed(connection) for connection in connections[:20]), "the first are closed"
    equal(post(ADDRESS, "d2", location(1), TOKENS["d2"])[0], 200)
    for connection in connections:
        connection.close()


@promise
def a_flood_of_pings_that_nobody_reads_fills_no_memory():
    connection = handshake(ADDRESS, "/drivers/realtime", TOKENS["d2"], receive_buffer=4096)
    before = resident()
    flood = frame(9, bytes(125)) * 500
    for _ in range(400):
        connection.sendall(flood)
    grown = resident() - before
    assert grown < 20e6, f"{grown / 1e6} MB"
    connection.close()


@promise
async def a_large_batch_in_many_pieces_is_written():
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


run(8)
