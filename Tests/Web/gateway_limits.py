"""Tests the rate limits of rider-gateway, per address and per user.

    gateway_limits.py ADDRESS TOKENS    ADDRESS: host:port of a gateway with SIGHTLINE_RIDER_RATE=1,
                                        SIGHTLINE_RIDER_ADDRESS_RATE=1 and SIGHTLINE_RIDER_ADDRESS_HEADER=X-Client;
                                        TOKENS: JSON with tokens of the users ann and ben, and two without a subject
"""

import asyncio
import json
import sys

import websockets

from protocol_test import DEADLINE_SECONDS, equal, fetch, run, test

ADDRESS, TOKENS = sys.argv[1], json.loads(sys.argv[2])
# Number of concurrent requests; the limit is a burst of 20, then 1 per second.
CONCURRENT = 100


async def request(path, client, token=None, **headers):
    """Returns status, headers and JSON. `client`: the client address reported by the proxy."""
    headers["X-Client"] = client
    return await asyncio.to_thread(fetch, f"http://{ADDRESS}{path}", token=token and TOKENS[token], **headers)


def expect_limited(responses, allowed):
    """Expects some responses with the status `allowed`, and some with 429."""
    equal({response[0] for response in responses}, {allowed, 429})
    limited = [response for response in responses if response[0] == 429]
    equal({response[2]["error"]["code"] for response in limited}, {"RATE_LIMITED"})
    assert all(int(response[1]["Retry-After"]) >= 1 for response in limited)


@test
async def limits_addresses_and_counts_ipv6_by_network():
    for address in ["2001:db8::{}", "192.0.2.7"]:
        requests = [request("/config", address.format(number)) for number in range(1, CONCURRENT + 1)]
        expect_limited(await asyncio.gather(*requests), 200)
    equal((await request("/config", "2001:db8:0:1::1"))[0], 200)
    equal((await request("/config", "198.51.100.1, 192.0.2.8"))[0], 200)


@test
async def limits_users_across_addresses():
    # Requests within the limit get 404, since the trip does not exist.
    for user, other in [("ann", "ben"), ("nameless", "nameless too")]:
        network = 1 if user == "ann" else 2
        addresses = [f"10.{network}.0.{number}" for number in range(1, CONCURRENT + 1)]
        expect_limited(await asyncio.gather(*[request("/trips/t", address, user) for address in addresses]), 404)
        equal((await request("/trips/t", f"10.{network}.1.1", other))[0], 404)


@test
async def pages_of_allowed_origins_can_read_the_error():
    origin = "https://app.example.com"
    requests = [request("/config", "192.0.2.9", Origin=origin) for _ in range(CONCURRENT)]
    limited = [response[1] for response in await asyncio.gather(*requests) if response[0] == 429]
    assert limited and all(headers["Access-Control-Allow-Origin"] == origin for headers in limited)
    assert all("Retry-After" in headers["Access-Control-Expose-Headers"] for headers in limited)


@test
async def limits_connections_of_an_address():
    async def first_message():
        address = f"ws://{ADDRESS}/realtime?token={TOKENS['ann']}"
        async with websockets.connect(address, additional_headers={"X-Client": "192.0.2.10"}) as socket:
            async with asyncio.timeout(DEADLINE_SECONDS):
                message = json.loads(await socket.recv())
                if message["type"] == "error":
                    await socket.wait_closed()
            return message, socket.close_code

    messages = await asyncio.gather(*[first_message() for _ in range(CONCURRENT)])
    limited = [(message, code) for message, code in messages if message["type"] == "error"]
    equal({(message["code"], code) for message, code in limited}, {("RATE_LIMITED", 4429)})
    assert all(message["retry_after_ms"] > 0 for message, _ in limited)
    assert any(message["type"] == "welcome" for message, _ in messages)


run(threads=CONCURRENT)
