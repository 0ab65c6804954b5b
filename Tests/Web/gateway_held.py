"""What clients may hold open at rider-gateway, and what they cannot fill.

    gateway_held.py ADDRESS TOKENS METRICS    ADDRESS: of a gateway with SIGHTLINE_RIDER_USER_CONNECTIONS=3, without rates;
                                              TOKENS: JSON with tokens of the users ann, ben, cleo and dora, and of one
                                              without a name; METRICS: the URL of the gateway's metrics
"""

import asyncio
import http.client
import json
import re
import sys
import threading
import time
import urllib.error
import urllib.request

import websockets

from promises import equal, promise, run
from raw_socket import frame, handshake, is_closed

ADDRESS, TOKENS, METRICS = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
DEADLINE_SECONDS = 60
ALLOWED = 3


def metric(name):
    with urllib.request.urlopen(METRICS, timeout=DEADLINE_SECONDS) as answer:
        found = re.search(rf"^{re.escape(name)} (\S+)$", answer.read().decode(), re.MULTILINE)
    return float(found[1]) if found else 0


def ask(path, token):
    """Status, headers and JSON of an answer."""
    request = urllib.request.Request(f"http://{ADDRESS}{path}", headers={"Authorization": f"Bearer {TOKENS[token]}"})
    try:
        with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as answer:
            return answer.status, answer.headers, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read())


async def connect(token):
    """A WebSocket, and its first message."""
    socket = await websockets.connect(f"ws://{ADDRESS}/realtime?token={TOKENS[token]}")
    async with asyncio.timeout(DEADLINE_SECONDS):
        return socket, json.loads(await socket.recv())


@promise
async def sockets_of_a_user_are_limited_and_another_is_let_in_when_one_has_gone():
    held = [await connect("ann") for _ in range(ALLOWED)]
    equal([message["type"] for _, message in held], ["welcome"] * ALLOWED)
    refused, message = await connect("ann")
    equal((message["type"], message["code"]), ("error", "RATE_LIMITED"))
    assert message["retry_after_ms"] > 0
    await refused.wait_closed()
    equal(refused.close_code, 4429)
    equal((await connect("ben"))[1]["type"], "welcome")
    await held[0][0].close()
    async with asyncio.timeout(DEADLINE_SECONDS):
        while (await connect("ann"))[1]["type"] != "welcome":
            await asyncio.sleep(0.1)


@promise
async def tokens_without_a_name_hold_as_many_sockets_as_come():
    held = [await connect("nameless") for _ in range(4 * ALLOWED)]
    equal({message["type"] for _, message in held}, {"welcome"})


@promise
async def long_polls_beyond_the_limit_are_answered_without_waiting():
    began = time.monotonic()
    path = "/trips/told/events?after=0-3&wait=20"
    polls = [asyncio.create_task(asyncio.to_thread(ask, path, "cleo")) for _ in range(10)]
    done, waiting = await asyncio.wait(polls, timeout=12)
    equal((len(done), len(waiting)), (10 - ALLOWED, ALLOWED))
    for poll in polls:
        status, _, body = await poll
        equal((status, body["events"], body["cursor"]), (200, [], ["0-3"]))
    assert time.monotonic() - began >= 20
    # The places are given back.
    again = asyncio.create_task(asyncio.to_thread(ask, "/trips/told/events?after=0-3&wait=3", "cleo"))
    await asyncio.sleep(1)
    assert not again.done()
    await again


@promise
def streams_beyond_the_limit_are_refused():
    def stream():
        connection = http.client.HTTPConnection(ADDRESS, timeout=DEADLINE_SECONDS)
        connection.request("GET", "/trips/told/stream", headers={"Authorization": f"Bearer {TOKENS['dora']}"})
        return connection, connection.getresponse()

    held = []
    for _ in range(ALLOWED):
        connection, answer = stream()
        equal(answer.status, 200)
        # The stream has begun once its first event is there.
        while b"subscribed" not in answer.readline():
            pass
        held.append((connection, answer))
    connection, answer = stream()
    equal((answer.status, json.loads(answer.read())["error"]["code"]), (429, "RATE_LIMITED"))
    assert int(answer.headers["Retry-After"]) >= 1
    for connection, answer in held:
        answer.close()
        connection.close()
    end = time.monotonic() + DEADLINE_SECONDS
    while stream()[1].status != 200:
        assert time.monotonic() < end, "a place is given back"
        time.sleep(0.1)


@promise
def a_flood_of_pings_that_nobody_reads_fills_no_memory_and_nobody_waits_for_it():
    connection = handshake(ADDRESS, "/realtime", TOKENS["ben"], receive_buffer=4096)
    before = metric("process_resident_memory_bytes")
    flood = frame(9, bytes(125)) * 500
    for _ in range(400):
        connection.sendall(flood)
    # 26 MB were sent; of each byte, 1.7 were kept.
    grown = metric("process_resident_memory_bytes") - before
    assert grown < 20e6, f"{grown / 1e6} MB"
    equal(ask("/trips/told", "ann")[0], 200)
    connection.close()


@promise
def a_ping_is_answered_after_a_flood():
    connection = handshake(ADDRESS, "/realtime", TOKENS["ben"])
    connection.sendall(frame(9, b"a") * 5000 + frame(9, b"last"))
    received = b""
    while b"\x8a\x04last" not in received:
        part = connection.recv(65536)
        assert part, "the connection ended"
        received += part
    assert received.count(b"\x8a\x01a") < 100
    connection.close()


@promise
def a_client_that_is_refused_fills_no_memory():
    connections = [handshake(ADDRESS, "/realtime", "none") for _ in range(20)]
    before = metric("process_resident_memory_bytes")

    def fill(connection):
        try:
            for _ in range(100):
                connection.sendall(bytes([0x82, 0xFE, 0x0F, 0xFF]) + bytes(65536))
        except OSError:
            pass

    threads = [threading.Thread(target=fill, args=[connection]) for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    grown = metric("process_resident_memory_bytes") - before
    assert grown < 30e6, f"{grown / 1e6} MB"
    end = time.monotonic() + DEADLINE_SECONDS
    while not all(is_closed(connection) for connection in connections):
        assert time.monotonic() < end, "they are closed"
        time.sleep(0.1)


run(20)
