"""What rider-gateway promises in docs/gateway.md, asked by a client of another make, and by clients with bad manners.

    gateway_protocol.py HOST PORT TOKENS    TOKENS: JSON with the tokens of the riders (see GatewayProtocolTests.swift)

Prints a line for each promise, and exits with 1 if one does not hold.
"""

import asyncio
import json
import os
import struct
import sys
import time
import urllib.error
import urllib.request

import websockets

HOST, PORT = sys.argv[1], int(sys.argv[2])
TOKENS = json.loads(sys.argv[3])
DEADLINE_SECONDS = 60


class Client:
    """A connection that has been welcomed."""

    def __init__(self, token="rider", query=None):
        query = f"?token={TOKENS[token]}" if query is None else query
        self.address = f"ws://{HOST}:{PORT}/realtime{query}"

    async def __aenter__(self):
        self.socket = await websockets.connect(self.address, max_size=None, ping_interval=None)
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def send(self, **message):
        await self.socket.send(json.dumps(message))

    async def next(self, *types):
        """The next message of one of these types; others are left out."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            while True:
                message = json.loads(await self.socket.recv())
                if not types or message["type"] in types:
                    return message

    async def closed(self):
        """The code by which the gateway closes the connection."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            await self.socket.wait_closed()
        return self.socket.close_code


def request(path, token="rider", **headers):
    """Status, headers and JSON of an answer."""
    if token:
        headers["Authorization"] = f"Bearer {TOKENS[token]}"
    url = f"http://{HOST}:{PORT}{path}"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=DEADLINE_SECONDS) as answer:
            return answer.status, answer.headers, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read() or b"null")


def equal(found, expected):
    assert found == expected, f"{found!r} and not {expected!r}"


async def a_client_is_welcomed():
    async with Client() as client:
        message = await client.next()
        equal(message["type"], "welcome")
        equal(message["message_id"], 1)
        assert message["session_id"] and message["timestamp"].endswith("Z") and message["ping_interval_ms"] > 0


async def a_subscription_begins_with_the_state_in_full():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:told", message_id="mine")
        message = await client.next("subscribed", "error")
        equal((message["type"], message["replay_from"], message["request_id"]), ("subscribed", None, "mine"))
        snapshot = message["snapshot"]
        equal((snapshot["state"], snapshot["position"]["latitude"]), ("IN_PROGRESS", 9))
        equal(snapshot["facts"], {"driver": {"name": "Ann"}})
        equal(message["cursor"], [snapshot["event_id"]])


async def a_client_that_comes_back_gets_what_it_missed_in_order():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:told", last_event_id="0-4")
        message = await client.next("subscribed", "error")
        equal(message["replay_from"], "0-4")
        assert "snapshot" not in message
        events = [await client.next() for _ in range(5)]
        equal([event["event_id"] for event in events], [f"0-{number}" for number in range(5, 10)])
        equal(events[-1]["payload"]["latitude"], 9)


async def reconnect_answers_with_everything_at_once():
    async with Client() as client:
        await client.send(type="reconnect", trip_id="told", last_event_id=["0-7"], client_state="ACCEPTED")
        message = await client.next("state_sync", "error")
        equal((message["current_state"], message["full_refresh"]), ("IN_PROGRESS", False))
        equal([event["event_id"] for event in message["missed_events"]], ["0-8", "0-9"])
        equal(message["latest_driver_location"]["latitude"], 9)


async def a_cursor_that_is_not_known_gets_the_state_in_full():
    async with Client() as client:
        await client.send(type="reconnect", trip_id="told", last_event_id="0-999999")
        message = await client.next("state_sync", "error")
        equal(message["full_refresh"], True)
        equal(message["snapshot"]["position"]["latitude"], 9)


async def live_events_follow_without_a_gap():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:live")
        message = await client.next("subscribed", "error")
        last = int(message["cursor"][0].split("-")[1])
        for number in range(last + 1, last + 11):
            equal((await client.next())["event_id"], f"1-{number}")
        await client.send(type="unsubscribe", channel="trip:live")
        await client.next("unsubscribed")
        await client.send(type="ping")
        equal((await client.next())["type"], "pong")


async def many_connections_resume_without_a_gap():
    cursor, seen = None, []
    for _ in range(8):
        async with Client() as client:
            await client.send(type="subscribe", channel="trip:live", **({"last_event_id": cursor} if cursor else {}))
            message = await client.next("subscribed", "error")
            equal(message["type"], "subscribed")
            if cursor is None:
                cursor = message["cursor"]
                first = int(cursor[0].split("-")[1])
            for _ in range(3):
                event = await client.next()
                seen.append(int(event["event_id"].split("-")[1]))
                cursor = [event["event_id"]]
    equal(seen, list(range(first + 1, first + 1 + len(seen))))


async def a_route_shows_its_vehicles():
    async with Client() as client:
        await client.send(type="subscribe", channel="route:17")
        message = await client.next("subscribed", "error")
        equal(sorted(vehicle["vehicleNumber"] for vehicle in message["snapshot"]["vehicles"]), ["8", "9"])


async def refusals_have_stable_codes():
    async with Client() as client:
        for message, code in [
            ({"type": "subscribe", "channel": "trip:unknown"}, "TRIP_NOT_FOUND"),
            ({"type": "subscribe", "channel": "trip:of_another"}, "NOT_ALLOWED"),
            ({"type": "subscribe", "channel": "route:4"}, "NOT_ALLOWED"),
            ({"type": "subscribe", "channel": "fleet"}, "NOT_ALLOWED"),
            ({"type": "subscribe", "channel": "trips:told"}, "INVALID_SUBSCRIPTION"),
            ({"type": "subscribe", "channel": "trip:told:events"}, "INVALID_SUBSCRIPTION"),
            ({"type": "subscribe", "channel": "trip:told", "last_event_id": "x"}, "INVALID_SUBSCRIPTION"),
            ({"type": "subscribe"}, "INVALID_SUBSCRIPTION"),
            ({"type": "dance"}, "INVALID_MESSAGE"),
        ]:
            await client.send(**message)
            equal((message, (await client.next("error", "subscribed")).get("code")), (message, code))
        await client.socket.send("{")
        equal((await client.next("error"))["code"], "INVALID_MESSAGE")


async def tokens_that_are_refused_are_told_and_closed():
    for token, code in [("expired", "TOKEN_EXPIRED"), ("forged", "TOKEN_INVALID"), ("none", "TOKEN_MISSING")]:
        query = "" if token == "none" else f"?token={TOKENS[token]}"
        async with Client(query=query) as client:
            message = await client.next()
            equal((token, message["code"]), (token, code))
            equal((token, await client.closed()), (token, 4401))


async def a_token_that_expires_ends_the_connection_and_a_new_one_keeps_it():
    async with Client("brief") as client, Client("brief") as other:
        await client.next("welcome")
        await other.send(type="authenticate", token=TOKENS["rider"])
        await other.next("authenticated")
        equal((await client.next("error"))["code"], "TOKEN_EXPIRED")
        equal(await client.closed(), 4401)
        await other.send(type="subscribe", channel="trip:told")
        equal((await other.next("subscribed", "error"))["type"], "subscribed")


async def messages_in_a_flood_are_refused_with_the_time_to_wait():
    async with Client() as client:
        for _ in range(40):
            await client.send(type="ping")
        answers = [await client.next("pong", "error") for _ in range(40)]
        refused = [answer for answer in answers if answer["type"] == "error"]
        assert len(refused) >= 10, f"{len(refused)} of 40 were refused"
        assert all(answer["code"] == "RATE_LIMITED" and answer["retry_after_ms"] > 0 for answer in refused)


async def more_subscriptions_than_are_allowed_are_refused():
    async with Client("operator") as client:
        subscribed = 0
        while True:
            await client.send(type="subscribe", channel=f"trip:many_{subscribed}")
            answer = await client.next("subscribed", "error")
            if answer["type"] == "error" and answer["code"] == "RATE_LIMITED":
                await asyncio.sleep(answer["retry_after_ms"] / 1000)
            elif answer["type"] == "error":
                break
            else:
                subscribed += 1
        equal((subscribed, answer["code"]), (64, "INVALID_SUBSCRIPTION"))


async def frames_that_are_too_large_close_the_connection():
    for text in ["x" * 5000, '{"type":"ping","pad":"' + "x" * 4090 + '"}']:
        async with Client() as client:
            await client.next("welcome")
            await client.socket.send(text)
            equal(await client.closed(), 1009)


async def a_message_in_several_frames_is_read():
    async with Client() as client:
        await client.socket.send(['{"type":', '"ping"', "}"])
        equal((await client.next("pong", "error"))["type"], "pong")


async def binary_frames_close_the_connection():
    async with Client() as client:
        await client.next("welcome")
        await client.socket.send(b"\x00\x01")
        equal(await client.closed(), 1003)


async def raw_socket(first=b""):
    reader, writer = await asyncio.open_connection(HOST, PORT)
    writer.write(first)
    await writer.drain()
    return reader, writer


def handshake(path):
    return (
        f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


async def frames_without_a_mask_close_the_connection():
    reader, writer = await raw_socket(handshake(f"/realtime?token={TOKENS['rider']}"))
    assert b"101" in await reader.readuntil(b"\r\n\r\n")
    writer.write(bytes([0x81, 15]) + b'{"type":"ping"}')
    async with asyncio.timeout(DEADLINE_SECONDS):
        rest = await reader.read(-1)
    assert struct.pack(">BBH", 0x88, 2, 1002) in rest, rest
    writer.close()


async def connections_that_send_nothing_or_half_a_request_are_closed():
    for first in [b"", b"GET /realtime HTTP/1.1\r\nHost: x\r\n"]:
        reader, writer = await raw_socket(first)
        async with asyncio.timeout(DEADLINE_SECONDS):
            await reader.read(-1)
        writer.close()


async def a_socket_at_another_path_is_refused():
    reader, writer = await raw_socket(handshake("/other"))
    async with asyncio.timeout(DEADLINE_SECONDS):
        answer = await reader.readline()
    assert answer.startswith(b"HTTP/1.1 404"), answer
    writer.close()


async def an_offer_of_another_protocol_is_answered_as_a_request():
    offer = f"GET /config HTTP/1.1\r\nHost: {HOST}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    reader, writer = await raw_socket(offer.encode())
    async with asyncio.timeout(DEADLINE_SECONDS):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    writer.close()


async def a_trip_is_answered_and_has_an_entity_tag():
    status, headers, body = await asyncio.to_thread(request, "/trips/told")
    equal((status, body["trip_id"], body["state"], body["position"]["latitude"]), (200, "told", "IN_PROGRESS", 9))
    tag = headers["ETag"]
    status, headers, _ = await asyncio.to_thread(request, "/trips/told", **{"If-None-Match": tag})
    equal((status, headers["ETag"]), (304, tag))


async def requests_are_refused_by_status_and_code():
    for path, token, status, code in [
        ("/trips/told", None, 401, "TOKEN_MISSING"),
        ("/trips/told", "expired", 401, "TOKEN_EXPIRED"),
        ("/trips/of_another", "rider", 403, "NOT_ALLOWED"),
        ("/trips/unknown", "rider", 404, "TRIP_NOT_FOUND"),
        ("/trips/a%20b", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/told/events?after=x", "rider", 400, "INVALID_MESSAGE"),
        ("/fleet", "rider", 403, "NOT_ALLOWED"),
        ("/map/token", None, 404, "TOKEN_MISSING"),
    ]:
        answer = await asyncio.to_thread(request, path, token)
        equal((path, answer[0], answer[2]["error"]["code"]), (path, status, code))


async def a_long_poll_brings_what_was_missed_and_waits_for_what_comes():
    _, _, body = await asyncio.to_thread(request, "/trips/told/events?after=0-7")
    equal([event["event_id"] for event in body["events"]], ["0-8", "0-9"])
    _, _, body = await asyncio.to_thread(request, "/trips/live/events")
    after = body["cursor"][0]
    _, _, body = await asyncio.to_thread(request, f"/trips/live/events?after={after}&wait=20")
    equal(body["events"][0]["event_id"], f"1-{int(after.split('-')[1]) + 1}")


async def the_map_and_its_files_are_served():
    def page(path):
        with urllib.request.urlopen(f"http://{HOST}:{PORT}{path}", timeout=DEADLINE_SECONDS) as answer:
            return answer.headers, answer.read()

    headers, body = await asyncio.to_thread(page, "/map")
    assert b"<html" in body and "default-src 'self'" in headers["Content-Security-Policy"]
    headers, body = await asyncio.to_thread(page, "/clients/sightline.js")
    assert b"SightlineClient" in body and headers["Content-Type"].startswith("text/javascript")


PROMISES = [
    value
    for name, value in list(globals().items())
    if asyncio.iscoroutinefunction(value) and name not in ("raw_socket",)
]


async def main():
    failures = 0
    for promise in PROMISES:
        began = time.monotonic()
        try:
            await promise()
            print(f"ok    {promise.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception as error:  # Each promise is judged for itself.
            failures += 1
            print(f"FAIL  {promise.__name__}: {type(error).__name__}: {error}", flush=True)
    return failures


os._exit(1 if asyncio.run(main()) else 0)
