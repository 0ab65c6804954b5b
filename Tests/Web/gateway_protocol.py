"""What rider-gateway promises in docs/gateway.md, asked by a client of another make, and by clients with bad manners.

    gateway_protocol.py HOST PORT TOKENS LOG    as gateway_client.py has them
"""

import asyncio
import json
import re
import struct
import urllib.error
import urllib.parse
import urllib.request

from gateway_client import DEADLINE_SECONDS, HOST, PORT, TOKENS, Client, brief_token, request
from promises import equal, promise, run


@promise
async def a_client_is_welcomed():
    async with Client() as client:
        message = await client.next()
        equal(message["type"], "welcome")
        equal(message["message_id"], 1)
        assert message["session_id"] and message["timestamp"].endswith("Z") and message["ping_interval_ms"] > 0


@promise
async def a_subscription_begins_with_the_state_in_full():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:told", message_id="mine")
        message = await client.next("subscribed", "error")
        equal((message["type"], message["replay_from"], message["request_id"]), ("subscribed", None, "mine"))
        snapshot = message["snapshot"]
        equal((snapshot["state"], snapshot["position"]["latitude"]), ("IN_PROGRESS", 9))
        equal(snapshot["facts"], {"driver": {"name": "Ann"}})
        equal(message["cursor"], [snapshot["event_id"]])


@promise
async def a_client_that_comes_back_gets_what_it_missed_in_order():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:told", last_event_id="0-4")
        message = await client.next("subscribed", "error")
        equal(message["replay_from"], "0-4")
        assert "snapshot" not in message
        events = [await client.next() for _ in range(5)]
        equal([event["event_id"] for event in events], [f"0-{number}" for number in range(5, 10)])
        equal(events[-1]["payload"]["latitude"], 9)


@promise
async def reconnect_answers_with_everything_at_once():
    async with Client() as client:
        await client.send(type="reconnect", trip_id="told", last_event_id=["0-7"], client_state="ACCEPTED")
        message = await client.next("state_sync", "error")
        equal((message["current_state"], message["full_refresh"]), ("IN_PROGRESS", False))
        equal([event["event_id"] for event in message["missed_events"]], ["0-8", "0-9"])
        equal(message["latest_driver_location"]["latitude"], 9)


@promise
async def a_cursor_that_is_not_known_gets_the_state_in_full():
    async with Client() as client:
        await client.send(type="reconnect", trip_id="told", last_event_id="0-999999")
        message = await client.next("state_sync", "error")
        equal(message["full_refresh"], True)
        equal(message["snapshot"]["position"]["latitude"], 9)


@promise
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


@promise
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


@promise
async def a_route_shows_its_vehicles():
    async with Client() as client:
        await client.send(type="subscribe", channel="route:17")
        message = await client.next("subscribed", "error")
        equal(sorted(vehicle["vehicleNumber"] for vehicle in message["snapshot"]["vehicles"]), ["8", "9"])


@promise
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


@promise
async def tokens_that_are_refused_are_told_and_closed():
    for token, code in [("expired", "TOKEN_EXPIRED"), ("forged", "TOKEN_INVALID"), ("none", "TOKEN_MISSING")]:
        query = "" if token == "none" else f"?token={TOKENS[token]}"
        async with Client(query=query) as client:
            message = await client.next()
            equal((token, message["code"]), (token, code))
            equal((token, await client.closed()), (token, 4401))


@promise
async def a_token_that_expires_ends_the_connection_and_a_new_one_keeps_it():
    token = brief_token(seconds=15)
    async with Client(token) as client, Client(token) as other:
        await client.next("welcome")
        await other.send(type="authenticate", token=TOKENS["rider"])
        await other.next("authenticated")
        equal((await client.next("error"))["code"], "TOKEN_EXPIRED")
        equal(await client.closed(), 4401)
        await other.send(type="subscribe", channel="trip:told")
        equal((await other.next("subscribed", "error"))["type"], "subscribed")


@promise
async def messages_in_a_flood_are_refused_with_the_time_to_wait():
    async with Client() as client:
        # 20 are allowed at once and 10 in each second that the client takes to send them all.
        for _ in range(400):
            await client.send(type="ping")
        answers = [await client.next("pong", "error") for _ in range(400)]
        refused = [answer for answer in answers if answer["type"] == "error"]
        assert len(refused) >= 10, f"{len(refused)} of 400 were refused"
        assert all(answer["code"] == "RATE_LIMITED" and answer["retry_after_ms"] > 0 for answer in refused)


@promise
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


@promise
async def an_operator_gets_the_whole_fleet():
    async with Client("operator") as client:
        await client.send(type="subscribe", channel="fleet")
        fleet = await client.next("subscribed", "error")
        assert fleet["snapshot"]["drivers"], fleet
        equal((await client.next("fleet_positions"))["gone"], [])


@promise
async def frames_that_are_too_large_close_the_connection():
    for text in ["x" * 5000, '{"type":"ping","pad":"' + "x" * 4090 + '"}']:
        async with Client() as client:
            await client.next("welcome")
            await client.socket.send(text)
            equal(await client.closed(), 1009)


@promise
async def a_message_in_several_frames_is_read():
    async with Client() as client:
        await client.socket.send(['{"type":', '"ping"', "}"])
        equal((await client.next("pong", "error"))["type"], "pong")


@promise
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


@promise
async def frames_without_a_mask_close_the_connection():
    reader, writer = await raw_socket(handshake(f"/realtime?token={TOKENS['rider']}"))
    assert b"101" in await reader.readuntil(b"\r\n\r\n")
    writer.write(bytes([0x81, 15]) + b'{"type":"ping"}')
    async with asyncio.timeout(DEADLINE_SECONDS):
        rest = await reader.read(-1)
    assert struct.pack(">BBH", 0x88, 2, 1002) in rest, rest
    writer.close()


@promise
async def connections_that_send_nothing_or_half_a_request_are_closed():
    for first in [b"", b"GET /realtime HTTP/1.1\r\nHost: x\r\n"]:
        reader, writer = await raw_socket(first)
        async with asyncio.timeout(DEADLINE_SECONDS):
            await reader.read(-1)
        writer.close()


@promise
async def a_socket_at_another_path_is_refused():
    reader, writer = await raw_socket(handshake("/other"))
    async with asyncio.timeout(DEADLINE_SECONDS):
        answer = await reader.readline()
    assert answer.startswith(b"HTTP/1.1 404"), answer
    writer.close()


@promise
async def a_handshake_that_is_none_is_refused_before_a_socket_opens():
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


@promise
async def an_offer_of_another_protocol_is_answered_as_a_request():
    offer = f"GET /config HTTP/1.1\r\nHost: {HOST}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    reader, writer = await raw_socket(offer.encode())
    async with asyncio.timeout(DEADLINE_SECONDS):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    writer.close()


@promise
async def a_trip_is_answered_and_has_an_entity_tag():
    status, headers, body = await asyncio.to_thread(request, "/trips/told")
    equal((status, body["trip_id"], body["state"], body["position"]["latitude"]), (200, "told", "IN_PROGRESS", 9))
    tag = headers["ETag"]
    status, headers, _ = await asyncio.to_thread(request, "/trips/told", **{"If-None-Match": tag})
    equal((status, headers["ETag"]), (304, tag))


@promise
async def requests_are_refused_by_status_and_code():
    for path, token, status, code in [
        ("/trips/told", None, 401, "TOKEN_MISSING"),
        ("/trips/told", "expired", 401, "TOKEN_EXPIRED"),
        ("/trips/of_another", "rider", 403, "NOT_ALLOWED"),
        ("/trips/unknown", "rider", 404, "TRIP_NOT_FOUND"),
        ("/trips/a%20b", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/told/events?after=x", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/told/events?wait=26", "rider", 400, "INVALID_MESSAGE"),
        ("/trips/told/events?wait=x", "rider", 400, "INVALID_MESSAGE"),
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


@promise
async def a_trip_tells_when_it_arrives():
    status, headers, body = await asyncio.to_thread(request, "/trips/tr_1/etas", "operator")
    equal((status, body["trip_id"], body["state"]), (200, "tr_1", "IN_PROGRESS"))
    equal([stop["status"] for stop in body["eta"]["stop_etas"]], ["PASSED", "VALID"])
    answer = await asyncio.to_thread(request, "/trips/tr_1/etas", "operator", **{"If-None-Match": headers["ETag"]})
    equal(answer[0], 304)


@promise
async def a_stop_shows_the_vehicles_that_come_and_have_passed():
    status, _, body = await asyncio.to_thread(request, "/stops/museum/arrivals?route=R1&route=17")
    equal((status, body["stopId"]), (200, "museum"))
    equal([arrival["vehicleNumber"] for arrival in body["arrivals"]], ["bus tr_1", "bus late", "bus passed"])
    soon = body["arrivals"][0]
    equal((soon["eta"], soon["minEta"], soon["maxEta"], soon["distanceToReach"]), (60, 50, 80, 412))
    equal((soon["timeStamp"], soon["etaId"], soon["routeId"]), (1777881600000, "tr_1/museum", "R1"))
    equal(body["arrivals"][2]["eta"], -1)
    equal((await asyncio.to_thread(request, "/stops/no%20where/arrivals?route=R1"))[2]["arrivals"], [])


@promise
async def drivers_near_a_place_are_told_without_the_flagged():
    for token in ("dispatcher", "operator"):
        place = "/drivers/near?lat=-33.45&lon=-70.66"
        status, _, body = await asyncio.to_thread(request, place, token)
        equal((status, [driver["driver_id"] for driver in body["drivers"]]), (200, ["drv_1", "far"]))
        near = body["drivers"][0]
        equal((near["lat"], near["lon"], near["speed_mps"], near["heading"]), (-33.451, -70.66, 3.5, None))
        assert 110 < near["meters"] < 112, near
        _, _, body = await asyncio.to_thread(request, f"{place}&radius=500", token)
        equal([driver["driver_id"] for driver in body["drivers"]], ["drv_1"])
        _, _, body = await asyncio.to_thread(request, f"{place}&count=1", token)
        equal(len(body["drivers"]), 1)


@promise
async def pages_of_named_sites_alone_may_read_answers():
    ours, other = {"Origin": "https://app.example.com"}, {"Origin": "https://app.example.com.evil.example"}
    for path, token, status in [("/trips/told", "rider", 200), ("/trips/told", None, 401), ("/none", None, 404)]:
        found, headers, _ = await asyncio.to_thread(request, path, token, **ours)
        equal((found, headers["Access-Control-Allow-Origin"]), (status, ours["Origin"]))
        assert "ETag" in headers["Access-Control-Expose-Headers"]
        _, headers, _ = await asyncio.to_thread(request, path, token, **other)
        equal(headers["Access-Control-Allow-Origin"], None)

    def preflight(headers):
        url = f"http://{HOST}:{PORT}/trips/told"
        asked = urllib.request.Request(url, headers=headers, method="OPTIONS")
        with urllib.request.urlopen(asked, timeout=DEADLINE_SECONDS) as answer:
            return answer.status, answer.headers

    status, headers = await asyncio.to_thread(preflight, ours)
    equal((status, headers["Access-Control-Allow-Origin"]), (204, ours["Origin"]))
    assert "Authorization" in headers["Access-Control-Allow-Headers"]


@promise
async def requests_that_nothing_takes_are_refused_in_the_same_form():
    def asked(method, path):
        request = urllib.request.Request(f"http://{HOST}:{PORT}{path}", method=method)
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    status, headers, body = await asyncio.to_thread(asked, "POST", "/config")
    equal((status, headers["Allow"], json.loads(body)["error"]["code"]), (405, "GET, HEAD", "INVALID_MESSAGE"))
    status, _, body = await asyncio.to_thread(asked, "GET", "/nothing")
    equal((status, json.loads(body)["error"]["code"]), (404, "NOT_FOUND"))
    status, _, body = await asyncio.to_thread(asked, "HEAD", "/config")
    equal((status, body), (200, b""))


@promise
async def a_long_poll_brings_what_was_missed_and_waits_for_what_comes():
    _, _, body = await asyncio.to_thread(request, "/trips/told/events?after=0-7")
    equal([event["event_id"] for event in body["events"]], ["0-8", "0-9"])
    _, _, body = await asyncio.to_thread(request, "/trips/live/events")
    after = body["cursor"][0]
    _, _, body = await asyncio.to_thread(request, f"/trips/live/events?after={after}&wait=20")
    equal(body["events"][0]["event_id"], f"1-{int(after.split('-')[1]) + 1}")


def page(path):
    """Headers and body of a file of the map."""
    with urllib.request.urlopen(f"http://{HOST}:{PORT}{path}", timeout=DEADLINE_SECONDS) as answer:
        return answer.headers, answer.read()


@promise
async def every_file_that_the_map_names_is_served_with_its_type():
    types = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    found, waiting = set(), {"/map"}
    while waiting:
        path = waiting.pop()
        found.add(path)
        headers, body = await asyncio.to_thread(page, path)
        kind = types.get(path.rsplit(".")[-1], "text/html")
        equal((path, headers["Content-Type"].split(";")[0]), (path, kind))
        names = re.findall(r'(?:src|href)="([^"#]+)"|(?:from|import) "([^"]+)"', body.decode())
        # A name in a picture, such as that of its format, is no file.
        if kind != "image/svg+xml":
            waiting |= {urllib.parse.urljoin(path, first or second) for first, second in names} - found
    assert len(found) > 30 and "/clients/sightline/connection.js" in found, found


@promise
async def the_map_and_its_files_are_served():

    headers, body = await asyncio.to_thread(page, "/map")
    assert b"<html" in body and "default-src 'self'" in headers["Content-Security-Policy"]
    headers, body = await asyncio.to_thread(page, "/clients/sightline.js")
    assert b"SightlineClient" in body and headers["Content-Type"].startswith("text/javascript")


run()
