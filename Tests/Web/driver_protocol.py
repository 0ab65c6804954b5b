"""What driver-gateway promises in docs/driver-gateway.md, asked by a device of another make.

    driver_protocol.py ADDRESS LIMITED TOKENS EXACT LOG

ADDRESS: of a gateway; LIMITED: of one with SIGHTLINE_DRIVER_ADDRESS_RATE=1 and SIGHTLINE_DRIVER_ADDRESS_HEADER=X-Client;
TOKENS: JSON with a token for each driver; EXACT: a message whose bytes are looked for in Kafka; LOG: gets what the
gateway sends, one message a line (DriverGatewayTests.swift).
"""

import asyncio
import gzip
import json
import sys
import time

from driver_client import Device, location, post, post_to
from promises import equal, promise, run

ADDRESS, LIMITED = sys.argv[1], sys.argv[2]
TOKENS = json.loads(sys.argv[3])
EXACT = sys.argv[4]
Device.log = open(sys.argv[5], "a")
# As many requests can be under way at a time.
TOGETHER = 240


def device(driver, query="", **headers):
    return Device(ADDRESS, f"?token={TOKENS[driver]}{query}", **headers)


async def request(driver, body, path=None, query="", address=ADDRESS, **headers):
    return await asyncio.to_thread(post, address, path or driver, body, TOKENS.get(driver), query, **headers)


@promise
async def a_device_is_welcomed_and_told_how_to_sample():
    async with device("d1") as client:
        message = await client.next()
        equal((message["type"], message["message_id"]), ("welcome", 1))
        advice = await client.next()
        equal(
            (advice["type"], advice["interval_ms"], advice["accuracy"], advice["reason"]),
            ("location_config", 30000, "city_block", "NO_TRIP"),
        )


@promise
async def locations_are_acknowledged_with_sequence_session_and_message_id():
    async with device("d1") as client:
        await client.send(**location(7), message_id="m7")
        await client.send(**location(8), message_id=8)
        message, ids = await client.acknowledged(2)
        equal((message["records"], message["sequence"], message["session"]), (2, 8, "s1"))
        equal(ids, ["m7", 8])


@promise
async def a_device_that_names_no_sequence_is_acknowledged_by_the_number_of_records():
    async with device("d1") as client:
        await client.send(type="location_update", payload={"lat": 1, "lng": 2, "timestamp": 1741977135123})
        message, ids = await client.acknowledged(1)
        equal((message["records"], message["sequence"], message["session"], ids), (1, None, "", []))


@promise
async def the_bytes_of_the_device_are_written():
    async with device("exact") as client:
        await client.socket.send(EXACT)
        await client.acknowledged(1)
    status, _, _ = await request("exact", EXACT.encode())
    equal(status, 200)


@promise
async def a_batch_is_written_whole_and_its_unreadable_fixes_are_told():
    fixes = [{"lat": 1, "lng": 2, "sequence": 1}, {"lat": 100, "lng": 2, "sequence": 2}, {"lng": 2, "sequence": 3}]
    batch = {"type": "location_batch", "session_id": "s9", "locations": fixes, "message_id": "b1"}
    runs = [
        {"first": 1, "last": 1, "code": "OUT_OF_RANGE", "field": "lat"},
        {"first": 2, "last": 2, "code": "MISSING_FIELD", "field": "latitude"},
    ]
    async with device("batch") as client:
        await client.send(**batch)
        told = await client.next("unreadable_fixes", "error")
        equal((told["type"], told["request_id"], told["fixes"], told["unreadable_fixes"]), ("unreadable_fixes", "b1", 3, 2))
        equal(told["unreadable"], runs)
        message, _ = await client.acknowledged(1)
        equal((message["sequence"], message["session"]), (1, "s9"))
    status, _, body = await request("batch", batch)
    equal((status, body["unreadable"]), (200, runs))
    status, _, body = await request("batch", [fixes[1], fixes[1]])
    equal((status, body["error"]["code"], body["error"]["field"]), (400, "OUT_OF_RANGE", "lat"))


@promise
async def what_cannot_be_read_is_refused_by_the_codes_of_dead_letters():
    async with device("refused") as client:
        for message, code, field in [
            (location(1, latitude=91), "OUT_OF_RANGE", "latitude"),
            (location(1, session="") | {"driver_id": "d2"}, "KEY_MISMATCH", "driver_id"),
            ({"type": "location", "sequence": 1}, "MISSING_FIELD", None),
            ({"type": "dance"}, "UNKNOWN_TYPE", None),
        ]:
            await client.send(**message, message_id="x")
            answer = await client.next("error", "ack")
            equal((message, answer.get("code")), (message, code))
            equal(answer["request_id"], "x")
            if field:
                equal(answer["field"], field)
        await client.socket.send("{")
        equal((await client.next("error"))["code"], "MALFORMED_JSON")
        # The connection stays, and nothing was written.
        await client.send(**location(1))
        message, _ = await client.acknowledged(1)
        equal(message["records"], 1)


@promise
async def a_trip_status_is_acknowledged_and_changes_the_advice():
    async with device("trips") as client:
        await client.next("location_config")
        ids, acknowledged = [], 0
        for status, reason, interval in [("driver_en_route", "TO_PICKUP", 2000), ("trip_started", "ON_TRIP", 4000)]:
            await client.send(type="trip_status", payload={"tripId": "tr_1", "status": status}, messageId="m1")
            # The acknowledgement of the first may come before the advice for the second, or after it.
            while (message := await client.next("location_config", "error", "ack"))["type"] == "ack":
                ids, acknowledged = ids + message["message_ids"], message["records"]
            equal((message.get("reason"), message.get("interval_ms")), (reason, interval))
        if acknowledged < 2:
            ids += (await client.acknowledged(2))[1]
        equal(ids, ["m1", "m1"])
        await client.send(type="trip_status", payload={"tripId": "tr_1", "status": "dancing"})
        equal((await client.next("error"))["code"], "UNKNOWN_STATE")


@promise
async def a_device_that_comes_back_on_a_trip_says_so():
    async with device("trips", "&trip_state=IN_PROGRESS") as client:
        equal((await client.next("location_config"))["reason"], "ON_TRIP")
        await client.send(type="trip_status", payload={"tripId": "tr_1", "status": "completed"})
        equal((await client.next("location_config"))["reason"], "NO_TRIP")


@promise
async def a_device_in_the_background_is_advised_so():
    async with device("d1", "&app_state=background") as client:
        advice = await client.next("location_config")
        equal((advice["interval_ms"], advice["accuracy"], advice["reason"]), (300000, "low", "BACKGROUND"))
        await client.send(type="app_state", state="foreground")
        equal((await client.next("location_config", "error"))["reason"], "NO_TRIP")
        await client.send(type="app_state", state="hidden", message_id="a1")
        message = await client.next("location_config", "error")
        equal((message.get("code"), message.get("request_id")), ("INVALID_MESSAGE", "a1"))


@promise
async def batches_are_larger_in_a_slow_network():
    async with device("d1") as client:
        equal((await client.next("location_config"))["batch_size"], 1)
        await client.send(**location(30, network_type="3g"))
        equal((await client.next("location_config"))["batch_size"], 5)


def event(trip, driver, state="ACCEPTED", **members):
    return {"trip_id": trip, "driver_id": driver, "state": state, **members}


async def trip_request(body, token="backend", headers={}):
    return await asyncio.to_thread(post_to, f"http://{ADDRESS}/trips", body, TOKENS.get(token), **headers)


@promise
async def events_of_the_trip_service_are_acknowledged_one_or_many():
    status, _, body = await trip_request(event("tr_b1", "b1", facts={"car": "Golf"}))
    equal((status, body), (200, {"acknowledged": {"records": 1, "requests": 0}, "unreadable": []}))
    status, _, body = await trip_request([event("tr_b2", "b2"), event("tr_b3", "b3"), event("tr_b2", "b2", "ARRIVED")])
    equal((status, body["acknowledged"]), (200, {"records": 3, "requests": 0}))
    status, _, body = await trip_request([event("tr_b4", "b4", facts={"a": "x" * 5000})])
    equal(status, 200)
    equal(body["unreadable"], [{"first": 0, "last": 0, "code": "TOO_LARGE", "field": "facts"}])


@promise
async def advice_follows_the_trip_that_the_trip_service_tells_of():
    async def told(state, expected):
        status, _, _ = await trip_request(event("tr_f", "followed", state))
        equal(status, 200)
        if expected:
            advice = await client.next("location_config")
            equal((advice["interval_ms"], advice["reason"]), expected)

    async with device("followed") as client:
        equal((await client.next("location_config"))["reason"], "NO_TRIP")
        await told("ACCEPTED", (2000, "TO_PICKUP"))
        # The pipeline refuses that, and the advice stays.
        await told("COMPLETED", None)
        await told("ARRIVED", None)
        await told("IN_PROGRESS", (4000, "ON_TRIP"))
        for sequence, speed, interval in [(1, 16, 2000), (2, 8, 4000), (3, 3, 8000)]:
            await client.send(**location(sequence, speed_mps=speed))
            equal((await client.next("location_config"))["interval_ms"], interval)
    async with device("followed", "&trip_state=NONE") as client:
        equal((await client.next("location_config"))["reason"], "ON_TRIP")
        _, _, answer = await request("followed", location(4, speed_mps=8))
        equal((answer["location_config"]["interval_ms"], answer["location_config"]["reason"]), (4000, "ON_TRIP"))
        await told("COMPLETED", (30000, "NO_TRIP"))
        _, _, answer = await request("followed", location(5), query="?trip_state=IN_PROGRESS")
        equal(answer["location_config"]["reason"], "NO_TRIP")


@promise
async def events_that_cannot_be_read_are_refused_and_none_of_their_batch_is_written():
    status, _, body = await trip_request({"trip_id": "tr_c1", "state": "ACCEPTED"})
    equal((status, body["error"]["code"], body["error"]["field"]), (400, "MISSING_KEY", "driver_id"))
    status, _, body = await trip_request([event("tr_c1", "c1"), event("tr_c2", "c2", "FLYING")])
    equal((status, body["error"]["code"], body["error"]["field"]), (400, "UNKNOWN_STATE", "state"))
    equal(body["error"]["unreadable"], [{"first": 1, "last": 1, "code": "UNKNOWN_STATE", "field": "state"}])
    status, _, body = await trip_request([event("tr_c1", "c1")] * 501)
    equal((status, body["error"]["code"]), (400, "BATCH_TOO_LARGE"))
    status, _, body = await trip_request(b"[" + b" " * (1 << 20) + b"]")
    equal((status, body["error"]["code"]), (413, "TOO_LARGE"))


@promise
async def trips_are_for_those_with_the_scope():
    for token, expected in [
        ("d1", (403, "NOT_ALLOWED")), ("rider", (403, "NOT_ALLOWED")), ("expired", (401, "TOKEN_EXPIRED")),
        ("none", (401, "TOKEN_MISSING")),
    ]:
        status, _, body = await trip_request(event("tr_c1", "c1"), token)
        equal((token, (status, body["error"]["code"])), (token, expected))


@promise
async def pings_are_answered():
    async with device("d1") as client:
        await client.send(type="ping", message_id=5)
        equal((await client.next("pong", "error"))["request_id"], 5)


@promise
async def tokens_that_are_refused_are_told_and_closed():
    for token, code in [
        ("expired", "TOKEN_EXPIRED"), ("forged", "TOKEN_INVALID"), ("none", "TOKEN_MISSING"), ("rider", "NOT_ALLOWED"),
    ]:
        query = "" if token == "none" else f"?token={TOKENS[token]}"
        async with Device(ADDRESS, query) as client:
            equal((token, (await client.next())["code"]), (token, code))
            equal((token, await client.closed()), (token, 4401))


@promise
async def a_new_token_must_be_of_the_same_driver():
    async with device("d1") as client:
        await client.send(type="authenticate", token=TOKENS["d1"], message_id=3)
        equal((await client.next("authenticated", "error"))["request_id"], 3)
        await client.send(type="authenticate", token=TOKENS["d2"])
        equal((await client.next("error"))["code"], "NOT_ALLOWED")
        equal(await client.closed(), 4401)


@promise
async def messages_that_are_too_large_close_the_connection():
    async with device("d1") as client:
        await client.next("location_config")
        await client.socket.send("[" + " " * (1 << 20) + "]")
        equal(await client.closed(), 1009)


@promise
async def a_backlog_is_taken_at_the_drivers_rate_and_not_refused():
    # 60 at once and 10 a second; the window has 64.
    async with device("backlog") as client:
        for sequence in range(1, 101):
            await client.send(**location(sequence))
        message, _ = await client.acknowledged(100)
        equal((message["records"], message["sequence"]), (100, 100))


@promise
async def a_device_that_loses_its_connection_sends_again_what_was_not_acknowledged():
    async with device("cut") as client:
        for sequence in range(1, 41):
            await client.send(**location(sequence))
        client.socket.transport.abort()
    async with device("cut") as client:
        # The gateway has what it read of the first connection; the device does not know what that was.
        for sequence in range(1, 21):
            await client.send(**location(sequence))
        message, _ = await client.acknowledged(20)
        equal((message["records"], message["sequence"]), (20, 20))
        client.socket.transport.abort()
    async with device("cut") as client:
        for sequence in range(21, 61):
            await client.send(**location(sequence))
        message, _ = await client.acknowledged(40)
        equal((message["records"], message["sequence"]), (40, 60))


@promise
async def requests_are_answered_with_what_is_acknowledged():
    fixes = [{"lat": 1, "lng": 2, "sequence": number, "session_id": "s2"} for number in (4, 5)]
    for body, sequence in [(location(3), 3), (fixes, 5), ({"locations": fixes}, 5)]:
        status, headers, answer = await request("http", body)
        equal((status, headers["Content-Type"]), (200, "application/json; charset=utf-8"))
        equal(answer["acknowledged"]["records"], 1)
        equal((answer["acknowledged"]["sequence"], answer["unreadable"]), (sequence, []))
        equal(answer["location_config"], None)
    _, _, answer = await request("http", location(6), query="?trip_state=ACCEPTED")
    equal(answer["location_config"]["interval_ms"], 2000)
    _, _, answer = await request("http", location(7, battery_percent=10), query="?trip_state=NONE")
    equal((answer["location_config"]["interval_ms"], answer["location_config"]["reason"]), (60000, "LOW_BATTERY"))
    status, _, _ = await request("http", {"type": "trip_status", "trip_id": "tr_2", "state": "ARRIVED"})
    equal(status, 200)


@promise
async def a_drivers_id_may_be_encoded_in_the_path():
    equal((await request("of:colon", location(1), path="of%3Acolon"))[0], 200)
    equal((await request("of:colon", location(2)))[0], 200)


@promise
async def requests_are_refused_by_status_and_code():
    for token, path, body, query, status, code in [
        ("none", "d1", location(1), "", 401, "TOKEN_MISSING"),
        ("expired", "d1", location(1), "", 401, "TOKEN_EXPIRED"),
        ("forged", "d1", location(1), "", 401, "TOKEN_INVALID"),
        ("rider", "d1", location(1), "", 403, "NOT_ALLOWED"),
        ("d1", "d2", location(1), "", 403, "NOT_ALLOWED"),
        ("d1", "d1", location(1) | {"driver_id": "d2"}, "", 400, "KEY_MISMATCH"),
        ("d1", "d1", b"{", "", 400, "MALFORMED_JSON"),
        ("d1", "d1", b"", "", 400, "EMPTY_VALUE"),
        ("d1", "d1", {"type": "ping"}, "", 400, "INVALID_MESSAGE"),
        ("d1", "d1", location(1), "?trip_state=DANCING", 400, "INVALID_MESSAGE"),
        ("d1", "d1", b" " * ((1 << 20) + 1), "", 413, "TOO_LARGE"),
    ]:
        answer = await request(token, body, path, query)
        equal((token, path, answer[0], answer[2]["error"]["code"]), (token, path, status, code))


@promise
async def compressed_bodies_are_refused_by_what_they_are():
    for coding in ["gzip", "deflate", "identity, br"]:
        body = gzip.compress(json.dumps(location(1)).encode())
        status, headers, answer = await request("d1", body, **{"Content-Encoding": coding})
        equal((status, answer["error"]["code"]), (415, "UNSUPPORTED_ENCODING"))
        assert "Content-Encoding" in answer["error"]["message"], answer
        equal(headers["Accept-Encoding"], "identity")
    equal((await trip_request(b"{}", headers={"Content-Encoding": "gzip"}))[0], 415)
    equal((await request("d1", location(90), **{"Content-Encoding": "identity"}))[0], 200)
    # The time in the header may contain a quote, which opens a string for a parser of JSON.
    for time in [0, ord('"'), 1741977135]:
        status, _, answer = await request("d1", gzip.compress(b"{}", mtime=time))
        equal((status, answer["error"]["code"]), (400, "INVALID_UTF8"))
        assert "compressed by gzip" in answer["error"]["message"], answer


@promise
async def a_byte_order_mark_is_left_out():
    mark = "\ufeff".encode()
    equal((await request("marked", mark + json.dumps(location(1)).encode()))[0], 200)
    async with device("marked") as client:
        await client.socket.send("\ufeff" + json.dumps(location(2) | {"message_id": "m2"}))
        _, ids = await client.acknowledged(1)
        equal(ids, ["m2"])


@promise
async def a_location_whose_position_is_not_found_is_told_that_its_latitude_is_missing():
    body = {"location": {"coords": {"latitude": 31.2, "longitude": -97.4}, "timestamp": 1741977135123}}
    status, _, answer = await request("d1", body)
    equal((status, answer["error"]["code"], answer["error"]["field"]), (400, "MISSING_FIELD", "latitude"))
    assert answer["error"]["message"].startswith("latitude is missing"), answer


@promise
async def text_behind_an_array_is_refused():
    body = json.dumps([location(1)]) + ',"x":1'
    status, _, answer = await request("d1", body.encode())
    equal((status, answer["error"]["code"]), (400, "MALFORMED_JSON"))


@promise
async def requests_beyond_the_drivers_rate_are_told_when_to_come_back():
    # 60 are taken at once and 10 in each second. All are under way together, so that it does not matter how soon the
    # broker acknowledges those that are taken.
    answers = await asyncio.gather(*[request("fast", location(number)) for number in range(1, TOGETHER + 1)])
    refused = [answer for answer in answers if answer[0] != 200]
    assert refused and all(answer[0] == 429 for answer in refused), [answer[0] for answer in refused]
    assert all(int(answer[1]["Retry-After"]) >= 1 for answer in refused)
    equal({answer[2]["error"]["code"] for answer in refused}, {"RATE_LIMITED"})


@promise
async def addresses_are_limited_and_ipv6_counts_by_its_network():
    async def status(address):
        return (await request("d1", location(1), address=LIMITED, **{"X-Client": address}))[0]

    for place in ["2001:db8::{}", "192.0.2.7"]:
        answers = await asyncio.gather(*[status(place.format(number)) for number in range(1, TOGETHER + 1)])
        equal(set(answers), {200, 429})
    equal(await status("2001:db8:0:1::1"), 200)
    equal(await status("198.51.100.1, 192.0.2.8"), 200)

    async def first_message():
        async with Device(LIMITED, f"?token={TOKENS['d1']}", **{"X-Client": "2001:db8::ffff"}) as client:
            message = await client.next()
            return message, await client.closed() if message["type"] == "error" else None

    # One or two may be let in, since the bucket fills up again meanwhile.
    refused = [answer for answer in await asyncio.gather(*[first_message() for _ in range(40)]) if answer[1]]
    equal({(message["code"], closed) for message, closed in refused}, {("RATE_LIMITED", 4429)})
    assert all(message["retry_after_ms"] > 0 for message, _ in refused)


run(TOGETHER)
