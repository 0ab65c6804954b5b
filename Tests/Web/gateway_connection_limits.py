"""Tests rider-gateway's limits of open connections and of memory used by slow or misbehaving clients.

    gateway_connection_limits.py ADDRESS TOKENS METRICS

ADDRESS: host:port of a gateway with SIGHTLINE_RIDER_USER_CONNECTIONS=3, without rate limits; TOKENS: JSON with tokens
of the users ann, ben, cleo and dora, and a token without a subject; METRICS: the URL of the gateway's metrics
(GatewayConnectionLimitTests.swift).
"""

import asyncio
import http.client
import json
import sys
import threading
import time

import websockets

from protocol_test import DEADLINE_SECONDS, equal, fetch, memory_growth_below, run, test, wait_until
from raw_socket import frame, handshake, is_closed, send_pings

ADDRESS, TOKENS, METRICS = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
ALLOWED = 3


def request(path, token):
    return fetch(f"http://{ADDRESS}{path}", token=TOKENS[token])


async def connect(token):
    """Returns a WebSocket and its first message."""
    socket = await websockets.connect(f"ws://{ADDRESS}/realtime?token={TOKENS[token]}")
    async with asyncio.timeout(DEADLINE_SECONDS):
        return socket, json.loads(await socket.recv())


@test
async def limits_sockets_of_a_user_until_one_closes():
    open_sockets = [await connect("ann") for _ in range(ALLOWED)]
    equal([message["type"] for _, message in open_sockets], ["welcome"] * ALLOWED)
    rejected, message = await connect("ann")
    equal((message["type"], message["code"]), ("error", "RATE_LIMITED"))
    assert message["retry_after_ms"] > 0
    await rejected.wait_closed()
    equal(rejected.close_code, 4429)
    equal((await connect("ben"))[1]["type"], "welcome")
    await open_sockets[0][0].close()
    async with asyncio.timeout(DEADLINE_SECONDS):
        while (await connect("ann"))[1]["type"] != "welcome":
            await asyncio.sleep(0.1)


@test
async def does_not_limit_sockets_of_tokens_without_a_subject():
    open_sockets = [await connect("nameless") for _ in range(4 * ALLOWED)]
    equal({message["type"] for _, message in open_sockets}, {"welcome"})


@test
async def long_polls_beyond_the_limit_return_immediately():
    start = time.monotonic()
    path = "/trips/known/events?after=0-3&wait=20"
    polls = [asyncio.create_task(asyncio.to_thread(request, path, "cleo")) for _ in range(10)]
    done, waiting = await asyncio.wait(polls, timeout=12)
    equal((len(done), len(waiting)), (10 - ALLOWED, ALLOWED))
    for poll in polls:
        status, _, body = await poll
        equal((status, body["events"], body["cursor"]), (200, [], ["0-3"]))
    assert time.monotonic() - start >= 20
    # Later polls wait again.
    next_poll = asyncio.create_task(asyncio.to_thread(request, "/trips/known/events?after=0-3&wait=3", "cleo"))
    await asyncio.sleep(1)
    assert not next_poll.done()
    await next_poll


@test
def rejects_streams_beyond_the_limit():
    def stream():
        connection = http.client.HTTPConnection(ADDRESS, timeout=DEADLINE_SECONDS)
        connection.request("GET", "/trips/known/stream", headers={"Authorization": f"Bearer {TOKENS['dora']}"})
        return connection, connection.getresponse()

    streams = []
    for _ in range(ALLOWED):
        connection, response = stream()
        equal(response.status, 200)
        # A stream that has sent its first event is counted.
        while b"subscribed" not in response.readline():
            pass
        streams.append((connection, response))
    connection, response = stream()
    equal((response.status, json.loads(response.read())["error"]["code"]), (429, "RATE_LIMITED"))
    assert int(response.headers["Retry-After"]) >= 1
    for connection, response in streams:
        response.close()
        connection.close()
    wait_until(lambda: stream()[1].status == 200, "a new stream is accepted")


@test
def unread_pongs_use_bounded_memory_and_do_not_block_others():
    connection = handshake(ADDRESS, "/realtime", TOKENS["ben"], receive_buffer=4096)
    with memory_growth_below(20e6, METRICS):
        send_pings(connection)
    equal(request("/trips/known", "ann")[0], 200)
    connection.close()


@test
def answers_the_last_ping_of_a_flood():
    connection = handshake(ADDRESS, "/realtime", TOKENS["ben"])
    connection.sendall(frame(9, b"a") * 5000 + frame(9, b"last"))
    received = b""
    while b"\x8a\x04last" not in received:
        part = connection.recv(65536)
        assert part, "the connection ended"
        received += part
    assert received.count(b"\x8a\x01a") < 100
    connection.close()


@test
def rejected_clients_use_bounded_memory():
    connections = [handshake(ADDRESS, "/realtime", "none") for _ in range(20)]

    def send(connection):
        try:
            for _ in range(100):
                connection.sendall(bytes([0x82, 0xFE, 0x0F, 0xFF]) + bytes(65536))
        except OSError:
            pass

    with memory_growth_below(30e6, METRICS):
        threads = [threading.Thread(target=send, args=[connection]) for connection in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    wait_until(lambda: all(is_closed(connection) for connection in connections), "the connections are closed")


run(threads=20)
