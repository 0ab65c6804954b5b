"""How rider-gateway limits requests and connections, by address and by user.

    gateway_limits.py ADDRESS TOKENS    ADDRESS: of a gateway with SIGHTLINE_RIDER_RATE=1, SIGHTLINE_RIDER_ADDRESS_RATE=1
                                        and SIGHTLINE_RIDER_ADDRESS_HEADER=X-Client;
                                        TOKENS: JSON with the tokens of the users ann and ben, and of two without a name
"""

import asyncio
import json
import sys
import urllib.error
import urllib.request

import websockets

from promises import equal, promise, run

ADDRESS, TOKENS = sys.argv[1], json.loads(sys.argv[2])
DEADLINE_SECONDS = 60
# 20 are answered at once, and 1 in each second that they all take.
TOGETHER = 100


def ask(path, client, token=None, origin=None):
    """Status, headers and JSON of an answer; client: what a proxy says of the address."""
    headers = {"X-Client": client}
    if token:
        headers["Authorization"] = f"Bearer {TOKENS[token]}"
    if origin:
        headers["Origin"] = origin
    try:
        request = urllib.request.Request(f"http://{ADDRESS}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as answer:
            return answer.status, answer.headers, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read())


async def asked(*arguments):
    return await asyncio.to_thread(ask, *arguments)


@promise
async def addresses_are_limited_and_ipv6_counts_by_its_network():
    for place in ["2001:db8::{}", "192.0.2.7"]:
        answers = await asyncio.gather(*[asked("/config", place.format(number)) for number in range(1, TOGETHER + 1)])
        equal({answer[0] for answer in answers}, {200, 429})
        refused = [answer for answer in answers if answer[0] == 429]
        equal({answer[2]["error"]["code"] for answer in refused}, {"RATE_LIMITED"})
        assert all(int(answer[1]["Retry-After"]) >= 1 for answer in refused)
    equal((await asked("/config", "2001:db8:0:1::1"))[0], 200)
    equal((await asked("/config", "198.51.100.1, 192.0.2.8"))[0], 200)


@promise
async def users_are_limited_wherever_they_are():
    # The answer to a request that is let in is 404, since nothing was published.
    for user, other in [("ann", "ben"), ("nameless", "nameless too")]:
        first = 1 if user == "ann" else 2
        places = [f"10.{first}.0.{number}" for number in range(1, TOGETHER + 1)]
        answers = await asyncio.gather(*[asked("/trips/t", place, user) for place in places])
        equal({answer[0] for answer in answers}, {404, 429})
        refused = [answer for answer in answers if answer[0] == 429]
        equal({answer[2]["error"]["code"] for answer in refused}, {"RATE_LIMITED"})
        assert all(int(answer[1]["Retry-After"]) >= 1 for answer in refused)
        equal((await asked("/trips/t", f"10.{first}.1.1", other))[0], 404)


@promise
async def a_refusal_can_be_read_by_pages_of_other_sites():
    origin = "https://app.example.com"
    answers = await asyncio.gather(*[asked("/config", "192.0.2.9", None, origin) for _ in range(TOGETHER)])
    refused = [answer[1] for answer in answers if answer[0] == 429]
    assert refused and all(headers["Access-Control-Allow-Origin"] == origin for headers in refused)
    assert all("Retry-After" in headers["Access-Control-Expose-Headers"] for headers in refused)


@promise
async def connections_of_an_address_are_limited():
    async def first_message():
        address = f"ws://{ADDRESS}/realtime?token={TOKENS['ann']}"
        async with websockets.connect(address, additional_headers={"X-Client": "192.0.2.10"}) as socket:
            async with asyncio.timeout(DEADLINE_SECONDS):
                message = json.loads(await socket.recv())
                if message["type"] == "error":
                    await socket.wait_closed()
            return message, socket.close_code

    answers = await asyncio.gather(*[first_message() for _ in range(TOGETHER)])
    refused = [(message, code) for message, code in answers if message["type"] == "error"]
    equal({(message["code"], code) for message, code in refused}, {("RATE_LIMITED", 4429)})
    assert all(message["retry_after_ms"] > 0 for message, _ in refused)
    assert any(message["type"] == "welcome" for message, _ in answers)


run(TOGETHER)
