"""Tests rider-gateway's protocol (docs/gateway.md) with an independent client and with misbehaving clients.

    gateway_protocol.py HOST PORT TOKENS LOG    see gateway_client.py
"""

import asyncio
import re
import struct
import urllib.parse
import urllib.request

from gateway_client import HOST, PORT, TOKENS, Client, brief_token, request
from protocol_test import DEADLINE_SECONDS, equal, fetch, run, test

URL = f"http://{HOST}:{PORT}"


@test
async def sends_a_welcome_message():
    async with Client() as client:
        message = await client.next()
        equal(message["type"], "welcome")
        equal(message["message_id"], 1)
        assert message["session_id"] and message["timestamp"].endswith("Z") and message["ping_interval_ms"] > 0


@test
async def a_subscription_starts_with_a_snapshot():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:known", message_id="mine")
        message = await client.next("subscribed", "error")
        equal((message["type"], message["replay_from"], message["request_id"]), ("subscribed", None, "mine"))
        snapshot = message["snapshot"]
        equal((snapshot["state"], snapshot["position"]["latitude"]), ("IN_PROGRESS", 9))
        equal(snapshot["facts"], {"driver": {"name": "Ann"}})
        equal(message["cursor"], [snapshot["event_id"]])


@test
async def a_resumed_subscription_gets_the_missed_events_in_order():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:known", last_event_id="0-4")
        message = await client.next("subscribed", "error")
        equal(message["replay_from"], "0-4")
        assert "snapshot" not in message
        events = [await client.next() for _ in range(5)]
        equal([event["event_id"] for event in events], [f"0-{number}" for number in range(5, 10)])
        equal(events[-1]["payload"]["latitude"], 9)


@test
async def reconnect_returns_state_and_missed_events_in_one_message():
    async with Client() as client:
        await client.send(type="reconnect", trip_id="known", last_event_id=["0-7"], client_state="ACCEPTED")
        message = await client.next("state_sync", "error")
        equal((message["current_state"], message["full_refresh"]), ("IN_PROGRESS", False))
        equal([event["event_id"] for event in message["missed_events"]], ["0-8", "0-9"])
        equal(message["latest_driver_location"]["latitude"], 9)


@test
async def an_unknown_cursor_gets_a_snapshot():
    async with Client() as client:
        await client.send(type="reconnect", trip_id="known", last_event_id="0-999999")
        message = await client.next("state_sync", "error")
        equal(message["full_refresh"], True)
        equal(message["snapshot"]["position"]["latitude"], 9)


@test
async def live_events_follow_without_gaps():
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


@test
async def successive_connections_resume_without_gaps():
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


@test
async def a_route_snapshot_has_its_vehicles():
    async with Client() as client:
        await client.send(type="subscribe", channel="route:17")
        message = await client.next("subscribed", "error")
        equal(sorted(vehicle["vehicleNumber"] for vehicle in message["snapshot"]["vehicles"]), ["8", "9"])


@test
async def rejected_messages_get_error_codes():
    async with Client() as client:
        for message, code in [
            ({"type": "subscribe", "channel": "trip:unknown"}, "TRIP_NOT_FOUND"),
            ({"type": "subscribe", "channel": "trip:of_another"}, "NOT_ALLOWED"),
            ({"type": "subscribe", "channel": "route:4"}, "NOT_ALLOWED"),
            ({"type": "subscribe", "channel": "fleet"}, "NOT_ALLOWED"),
            ({"type": "subscribe", "channel": "trips:known"}, "INVALID_SUBSCRIPTION"),
            ({"type": "subscribe", "channel": "trip:known:events"}, "INVALID_SUBSCRIPTION"),
            ({"type": "subscribe", "channel": "trip:known", "last_event_id": "x"}, "INVALID_SUBSCRIPTION"),
            ({"type": "subscribe"}, "INVALID_SUBSCRIPTION"),
            ({"type": "dance"}, "INVALID_MESSAGE"),
        ]:
            await client.send(**message)
            equal((message, (await client.next("error", "subscribed")).get("code")), (message, code))
        await client.socket.send("{")
        equal((await client.next("error"))["code"], "INVALID_MESSAGE")


@test
async def rejected_tokens_get_an_error_and_a_close_code():
    for token, code in [("expired", "TOKEN_EXPIRED"), ("forged", "TOKEN_INVALID"), ("none", "TOKEN_MISSING")]:
        query = "" if token == "none" else f"?token={TOKENS[token]}"
        async with Client(query=query) as client:
            message = await client.next()
            equal((token, message["code"]), (token, code))
            equal((token, await client.closed()), (token, 4401))


@test
async def an_expired_token_ends_the_connection_unless_it_is_replaced():
    token = brief_token(seconds=15)
    async with Client(token) as client, Client(token) as other:
        await client.next("welcome")
        await other.send(type="authenticate", token=TOKENS["rider"])
        await other.next("authenticated")
        equal((await client.next("error"))["code"], "TOKEN_EXPIRED")
        equal(await client.closed(), 4401)
        await other.send(type="subscribe", channel="trip:known")
        equal((await other.next("subscribed", "error"))["type"], "subscribed")


@test
async def rejects_messages_beyond_the_rate_limit_with_retry_after():
    async with Client() as client:
        # The limit is a burst of 20, then 10 per second.
        for _ in range(400):
            await client.send(type="ping")
        answers = [await client.next("pong", "error") for _ in range(400)]
        errors = [answer for answer in answers if answer["type"] == "error"]
        assert len(errors) >= 10, f"{len(errors)} of 400 were rejected"
        assert all(error["code"] == "RATE_LIMITED" and error["retry_after_ms"] > 0 for error in errors)


@test
async def rejects_subscriptions_beyond_the_limit():
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


@test
async def an_operator_receives_the_fleet():
    async with Client("operator") as client:
        await client.send(type="subscribe", channel="fleet")
        fleet = await client.next("subscribed", "error")
        assert fleet["snapshot"]["drivers"], fleet
        equal((await client.next("fleet_positions"))["gone"], [])


@test
async def oversized_messages_close_the_connection():
    for text in ["x" * 5000, '{"type":"ping","pad":"' + "x" * 4090 + '"}']:
        async with Client() as client:
            await client.next("welcome")
            await client.socket.send(text)
            equal(await client.closed(), 1009)


@test
async def accepts_a_message_in_several_frames():
    async with Client() as client:
        await client.socket.send(['{"type":', '"ping"', "}"])
        equal((await client.next("pong", "error"))["type"], "pong")


@test
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


@test
async def unmasked_frames_close_the_connection():
    reader, writer = await raw_socket(handshake(f"/realtime?token={TOKENS['rider']}"))
    assert b"101" in await reader.readuntil(b"\r\n\r\n")
    writer.write(bytes([0x81, 15]) + b'{"type":"ping"}')
    async with asyncio.timeout(DEADLINE_SECONDS):
        rest = await reader.read(-1)
    assert struct.pack(">BBH", 0x88, 2, 1002) in rest, rest
    writer.close()


@test
async def a_frame_in_the_segment_of_the_handshake_is_read():
    ping = bytes([0x81, 0x80 | 15]) + bytes(4) + b'{"type":"ping"}'
    reader, writer = await raw_socket(handshake(f"/realtime?token={TOKENS['rider']}") + ping)
    async with asyncio.timeout(DEADLINE_SECONDS):
        assert b"101" in await reader.readuntil(b"\r\n\r\n")
        await reader.readuntil(b'"pong"')
    writer.close()


@test
async def closes_connections_without_a_complete_request():
    for first in [b"", b"GET /realtime HTTP/1.1\r\nHost: x\r\n"]:
        reader, writer = await raw_socket(first)
        async with asyncio.timeout(DEADLINE_SECONDS):
            await reader.read(-1)
        writer.close()


@test
async def rejects_sockets_at_other_paths():
    reader, writer = await raw_socket(handshake("/other"))
    async with asyncio.timeout(DEADLINE_SECONDS):
        answer = await reader.readline()
    assert answer.startswith(b"HTTP/1.1 404"), answer
    writer.close()


@test
async def rejects_invalid_handshakes():
    good = handshake(f"/realtime?token={TOKENS['rider']}").decode()
    for bad in [
        good.replace("\r\n\r\n", "\r\nContent-Length: 2\r\n\r\n{}"),
        good.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        good.replace("Version: 13", "Version: 8"),
    ]:
        reader, writer = await raw_socket(bad.encode())
        async with asyncio.timeout(DEADLINE_SECONDS):
            answer = await reader.readline()
        assert answer.startswith(b"HTTP/1.1 400"), (bad, answer)
        writer.close()


@test
async def ignores_an_upgrade_to_another_protocol():
    head = f"GET /config HTTP/1.1\r\nHost: {HOST}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    reader, writer = await raw_socket(head.encode())
    async with asyncio.timeout(DEADLINE_SECONDS):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    writer.close()


@test
async def a_trip_has_an_entity_tag():
    status, headers, body = await asyncio.to_thread(request, "/trips/known")
    equal((status, body["trip_id"], body["state"], body["position"]["latitude"]), (200, "known", "IN_PROGRESS", 9))
    tag = headers["ETag"]
    status, headers, _ = await asyncio.to_thread(request, "/trips/known", **{"If-None-Match": tag})
    equal((status, headers["ETag"]), (304, tag))


@test
async def http_errors_have_status_and_code():
    for path, token, status, code in [
        ("/trips/known", None, 401, "TOKEN_MISSING"),
        ("/trips/known", "expired", 401, "TOKEN_EXPIRED"),
        ("/trips/of_another", "rider", 403, "NOT_ALLOWED"),
        ("/trips/unknown", "rider", 404, "TRIP_NOT_FOUND"),
        ("/trips/a%20b", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/known/events?after=x", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/known/events?wait=26", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/known/events?wait=x", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/of_another/etas", "rider", 403, "NOT_ALLOWED"),
        ("/stops/museum/arrivals?route=R1", None, 401, "TOKEN_MISSING"),
        ("/stops/museum/arrivals", "rider", 400, "INVALID_MESSAGE"),
        ("/stops/museum/arrivals?route=R1,R2", "rider", 403, "NOT_ALLOWED"),
        ("/stops/a%ZZb/arrivals?route=R1", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/of%3Aanother", "rider", 403, "NOT_ALLOWED"),
        ("/trips/of%ZZanother", "rider", 400, "INVALID_MESSAGE"),
        ("/drivers/near?lat=1&lon=1", "rider", 403, "NOT_ALLOWED"),
        ("/drivers/near?lon=1", "dispatcher", 400, "INVALID_MESSAGE"),
        ("/drivers/near?lat=85.06&lon=1", "dispatcher", 400, "INVALID_MESSAGE"),
        ("/drivers/near?lat=nan&lon=1", "dispatcher", 400, "INVALID_MESSAGE"),
        ("/drivers/near?lat=1&lon=-180.1", "dispatcher", 400, "INVALID_MESSAGE"),
        ("/drivers/near?lat=1&lon=1&radius=50001", "dispatcher", 400, "INVALID_MESSAGE"),
        ("/drivers/near?lat=1&lon=1&count=101", "dispatcher", 400, "INVALID_MESSAGE"),
        ("/fleet", "dispatcher", 403, "NOT_ALLOWED"),
        ("/fleet", "rider", 403, "NOT_ALLOWED"),
        ("/map/token", None, 404, "TOKEN_MISSING"),
    ]:
        answer = await asyncio.to_thread(request, path, token)
        equal((path, answer[0], answer[2]["error"]["code"]), (path, status, code))


@test
async def returns_the_eta_of_a_trip():
    status, headers, body = await asyncio.to_thread(request, "/trips/tr_1/etas", "operator")
    equal((status, body["trip_id"], body["state"]), (200, "tr_1", "IN_PROGRESS"))
    equal([stop["status"] for stop in body["eta"]["stop_etas"]], ["PASSED", "VALID"])
    answer = await asyncio.to_thread(request, "/trips/tr_1/etas", "operator", **{"If-None-Match": headers["ETag"]})
    equal(answer[0], 304)


@test
async def returns_arrivals_at_a_stop_including_passed_vehicles():
    status, _, body = await asyncio.to_thread(request, "/stops/museum/arrivals?route=R1&route=17")
    equal((status, body["stopId"]), (200, "museum"))
    equal([arrival["vehicleNumber"] for arrival in body["arrivals"]], ["bus tr_1", "bus late", "bus passed"])
    soon = body["arrivals"][0]
    equal((soon["eta"], soon["minEta"], soon["maxEta"], soon["distanceToReach"]), (60, 50, 80, 412))
    equal((soon["timeStamp"], soon["etaId"], soon["routeId"]), (1777881600000, "tr_1/museum", "R1"))
    equal(body["arrivals"][2]["eta"], -1)
    equal((await asyncio.to_thread(request, "/stops/no%20where/arrivals?route=R1"))[2]["arrivals"], [])


@test
async def returns_nearby_drivers_except_flagged_drivers():
    for token in ("dispatcher", "operator"):
        path = "/drivers/near?lat=-33.45&lon=-70.66"
        status, _, body = await asyncio.to_thread(request, path, token)
        equal((status, [driver["driver_id"] for driver in body["drivers"]]), (200, ["drv_1", "far"]))
        near = body["drivers"][0]
        equal((near["lat"], near["lon"], near["speed_mps"], near["heading"]), (-33.451, -70.66, 3.5, None))
        assert 110 < near["meters"] < 112, near
        _, _, body = await asyncio.to_thread(request, f"{path}&radius=500", token)
        equal([driver["driver_id"] for driver in body["drivers"]], ["drv_1"])
        _, _, body = await asyncio.to_thread(request, f"{path}&count=1", token)
        equal(len(body["drivers"]), 1)


@test
async def only_pages_of_allowed_origins_can_read_responses():
    allowed, other = {"Origin": "https://app.example.com"}, {"Origin": "https://app.example.com.evil.example"}
    for path, token, status in [("/trips/known", "rider", 200), ("/trips/known", None, 401), ("/none", None, 404)]:
        actual, headers, _ = await asyncio.to_thread(request, path, token, **allowed)
        equal((actual, headers["Access-Control-Allow-Origin"]), (status, allowed["Origin"]))
        assert "ETag" in headers["Access-Control-Expose-Headers"]
        _, headers, _ = await asyncio.to_thread(request, path, token, **other)
        equal(headers["Access-Control-Allow-Origin"], None)
    status, headers, _ = await asyncio.to_thread(fetch, f"{URL}/trips/known", "OPTIONS", **allowed)
    equal((status, headers["Access-Control-Allow-Origin"]), (204, allowed["Origin"]))
    assert "Authorization" in headers["Access-Control-Allow-Headers"]


@test
async def unknown_paths_and_methods_get_json_errors():
    status, headers, body = await asyncio.to_thread(fetch, f"{URL}/config", "POST")
    equal((status, headers["Allow"], body["error"]["code"]), (405, "GET, HEAD", "INVALID_MESSAGE"))
    status, _, body = await asyncio.to_thread(fetch, f"{URL}/nothing")
    equal((status, body["error"]["code"]), (404, "NOT_FOUND"))
    status, _, body = await asyncio.to_thread(fetch, f"{URL}/config", "HEAD")
    equal((status, body), (200, None))


@test
async def a_long_poll_returns_missed_events_or_waits_for_new_ones():
    _, _, body = await asyncio.to_thread(request, "/trips/known/events?after=0-7")
    equal([event["event_id"] for event in body["events"]], ["0-8", "0-9"])
    _, _, body = await asyncio.to_thread(request, "/trips/live/events")
    after = body["cursor"][0]
    _, _, body = await asyncio.to_thread(request, f"/trips/live/events?after={after}&wait=20")
    equal(body["events"][0]["event_id"], f"1-{int(after.split('-')[1]) + 1}")


def page(path):
    """Returns headers and body of a file that the gateway serves."""
    with urllib.request.urlopen(f"{URL}{path}", timeout=DEADLINE_SECONDS) as response:
        return response.headers, response.read()


@test
async def serves_every_file_that_the_map_references():
    types = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    served, waiting = set(), {"/map"}
    while waiting:
        path = waiting.pop()
        served.add(path)
        headers, body = await asyncio.to_thread(page, path)
        kind = types.get(path.rsplit(".")[-1], "text/html")
        equal((path, headers["Content-Type"].split(";")[0]), (path, kind))
        names = re.findall(r'(?:src|href)="([^"#]+)"|(?:from|import) "([^"]+)"', body.decode())
        # URLs in an SVG, such as its namespace, are not files.
        if kind != "image/svg+xml":
            waiting |= {urllib.parse.urljoin(path, first or second) for first, second in names} - served
    assert len(served) > 30 and "/clients/sightline/connection.js" in served, served


@test
async def serves_the_map_and_the_client_module():
    headers, body = await asyncio.to_thread(page, "/map")
    assert b"<html" in body and "default-src 'self'" in headers["Content-Security-Policy"]
    headers, body = await asyncio.to_thread(page, "/clients/sightline.js")
    assert b"SightlineClient" in body and headers["Content-Type"].startswith("text/javascript")


run()
