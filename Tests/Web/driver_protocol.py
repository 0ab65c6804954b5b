"""Tests driver-gateway's protocol (docs/driver-gateway.md) with an independent client.

    driver_protocol.py ADDRESS LIMITED TOKENS EXACT LOG

ADDRESS: host:port of a gateway; LIMITED: host:port of a gateway with SIGHTLINE_DRIVER_ADDRESS_RATE=1 and
SIGHTLINE_DRIVER_ADDRESS_HEADER=X-Client; TOKENS: JSON with a token per driver, and the tokens backend (scope trips),
rider, expired and forged; EXACT: a message whose exact bytes must arrive in Kafka; LOG: receives the gateway's
messages, one per line. DriverGatewayTests.swift runs this script and then checks the topics and LOG.
"""

import asyncio
import gzip
import json
import sys

from driver_client import Device, location, post
from protocol_test import equal, fetch, run, test

ADDRESS, LIMITED = sys.argv[1], sys.argv[2]
TOKENS = json.loads(sys.argv[3])
EXACT = sys.argv[4]
Device.log = open(sys.argv[5], "a")
# Number of concurrent requests.
CONCURRENT = 240


def device(driver, query="", **headers):
    return Device(ADDRESS, f"?token={TOKENS[driver]}{query}", **headers)


async def request(driver, body, path=None, query="", address=ADDRESS, **headers):
    return await asyncio.to_thread(post, address, path or driver, body, TOKENS.get(driver), query, **headers)


@test
async def sends_a_welcome_message_and_sampling_advice():
    async with device("d1") as client:
        message = await client.next()
        equal((message["type"], message["message_id"]), ("welcome", 1))
        advice = await client.next()
        equal(
            (advice["type"], advice["interval_ms"], advice["accuracy"], advice["reason"]),
            ("location_config", 30000, "city_block", "NO_TRIP"),
        )


@test
async def locations_are_acknowledged_with_sequence_session_and_message_id():
    async with device("d1") as client:
        await client.send(**location(7), message_id="m7")
        await client.send(**location(8), message_id=8)
        message, ids = await client.acknowledged(2)
        equal((message["records"], message["sequence"], message["session"]), (2, 8, "s1"))
        equal(ids, ["m7", 8])


@test
async def locations_without_sequence_are_acknowledged_by_count():
    async with device("d1") as client:
        await client.send(type="location_update", payload={"lat": 1, "lng": 2, "timestamp": 1741977135123})
        message, ids = await client.acknowledged(1)
        equal((message["records"], message["sequence"], message["session"], ids), (1, None, "", []))


@test
async def writes_the_exact_bytes_of_the_device():
    async with device("exact") as client:
        await client.socket.send(EXACT)
        await client.acknowledged(1)
    status, _, _ = await request("exact", EXACT.encode())
    equal(status, 200)


@test
async def writes_a_complete_batch_and_reports_unreadable_fixes():
    fixes = [{"lat": 1, "lng": 2, "sequence": 1}, {"lat": 100, "lng": 2, "sequence": 2}, {"lng": 2, "sequence": 3}]
    batch = {"type": "location_batch", "session_id": "s9", "locations": fixes, "message_id": "b1"}
    runs = [
        {"first": 1, "last": 1, "code": "OUT_OF_RANGE", "field": "lat"},
        {"first": 2, "last": 2, "code": "MISSING_FIELD", "field": "latitude"},
    ]
    async with device("batch") as client:
        await client.send(**batch)
        report = await client.next("unreadable_fixes", "error")
        equal((report["type"], report["request_id"]), ("unreadable_fixes", "b1"))
        equal((report["fixes"], report["unreadable_fixes"], report["unreadable"]), (3, 2, runs))
        message, _ = await client.acknowledged(1)
        equal((message["sequence"], message["session"]), (1, "s9"))
    status, _, body = await request("batch", batch)
    equal((status, body["unreadable"]), (200, runs))
    status, _, body = await request("batch", [fixes[1], fixes[1]])
    equal((status, body["error"]["code"], body["error"]["field"]), (400, "OUT_OF_RANGE", "lat"))


@test
async def unreadable_messages_get_dead_letter_codes():
    async with device("rejected") as client:
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
        # The connection is still open, and the acknowledgement counts only this location.
        await client.send(**location(1))
        message, _ = await client.acknowledged(1)
        equal(message["records"], 1)


@test
async def a_trip_status_is_acknowledged_and_changes_the_advice():
    async with device("trips") as client:
        await client.next("location_config")
        ids, acknowledged = [], 0
        for status, reason, interval in [("driver_en_route", "TO_PICKUP", 2000), ("trip_started", "ON_TRIP", 4000)]:
            await client.send(type="trip_status", payload={"tripId": "tr_1", "status": status}, messageId="m1")
            # The first acknowledgement may arrive before or after the second advice.
            while (message := await client.next("location_config", "error", "ack"))["type"] == "ack":
                ids, acknowledged = ids + message["message_ids"], message["records"]
            equal((message.get("reason"), message.get("interval_ms")), (reason, interval))
        if acknowledged < 2:
            ids += (await client.acknowledged(2))[1]
        equal(ids, ["m1", "m1"])
        await client.send(type="trip_status", payload={"tripId": "tr_1", "status": "dancing"})
        equal((await client.next("error"))["code"], "UNKNOWN_STATE")


@test
async def a_reconnecting_device_reports_its_trip_state():
    async with device("trips", "&trip_state=IN_PROGRESS") as client:
        equal((await client.next("location_config"))["reason"], "ON_TRIP")
        await client.send(type="trip_status", payload={"tripId": "tr_1", "status": "completed"})
        equal((await client.next("location_config"))["reason"], "NO_TRIP")


@test
async def advice_depends_on_the_app_state():
    async with device("d1", "&app_state=background") as client:
        advice = await client.next("location_config")
        equal((advice["interval_ms"], advice["accuracy"], advice["reason"]), (300000, "low", "BACKGROUND"))
        await client.send(type="app_state", state="foreground")
        equal((await client.next("location_config", "error"))["reason"], "NO_TRIP")
        await client.send(type="app_state", state="hidden", message_id="a1")
        message = await client.next("location_config", "error")
        equal((message.get("code"), message.get("request_id")), ("INVALID_MESSAGE", "a1"))


@test
async def advises_larger_batches_on_slow_networks():
    async with device("d1") as client:
        equal((await client.next("location_config"))["batch_size"], 1)
        await client.send(**location(30, network_type="3g"))
        equal((await client.next("location_config"))["batch_size"], 5)


def event(trip, driver, state="ACCEPTED", **members):
    return {"trip_id": trip, "driver_id": driver, "state": state, **members}


async def trip_request(body, token="backend", **headers):
    return await asyncio.to_thread(fetch, f"http://{ADDRESS}/trips", "POST", body, TOKENS.get(token), **headers)


@test
async def acknowledges_trip_events_and_reports_invalid_facts():
    status, _, body = await trip_request(event("tr_b1", "b1", facts={"car": "Golf"}))
    equal((status, body), (200, {"acknowledged": {"records": 1, "requests": 0}, "unreadable": []}))
    status, _, body = await trip_request([event("tr_b2", "b2"), event("tr_b3", "b3"), event("tr_b2", "b2", "ARRIVED")])
    equal((status, body["acknowledged"]), (200, {"records": 3, "requests": 0}))
    # The event is written, and the trip continues without the facts.
    status, _, body = await trip_request([event("tr_b4", "b4", facts={"a": "x" * 5000})])
    equal(status, 200)
    equal(body["unreadable"], [{"first": 0, "last": 0, "code": "TOO_LARGE", "field": "facts"}])


@test
async def advice_follows_events_of_the_trip_service():
    async def change(state, expected):
        status, _, _ = await trip_request(event("tr_f", "followed", state))
        equal(status, 200)
        if expected:
            advice = await client.next("location_config")
            equal((advice["interval_ms"], advice["reason"]), expected)

    async with device("followed") as client:
        equal((await client.next("location_config"))["reason"], "NO_TRIP")
        await change("ACCEPTED", (2000, "TO_PICKUP"))
        # The pipeline rejects this transition, so the advice is unchanged.
        await change("COMPLETED", None)
        await change("ARRIVED", None)
        await change("IN_PROGRESS", (4000, "ON_TRIP"))
        for sequence, speed, interval in [(1, 16, 2000), (2, 8, 4000), (3, 3, 8000)]:
            await client.send(**location(sequence, speed_mps=speed))
            equal((await client.next("location_config"))["interval_ms"], interval)
    async with device("followed", "&trip_state=NONE") as client:
        equal((await client.next("location_config"))["reason"], "ON_TRIP")
        _, _, answer = await request("followed", location(4, speed_mps=8))
        equal((answer["location_config"]["interval_ms"], answer["location_config"]["reason"]), (4000, "ON_TRIP"))
        await change("COMPLETED", (30000, "NO_TRIP"))
        _, _, answer = await request("followed", location(5), query="?trip_state=IN_PROGRESS")
        equal(answer["location_config"]["reason"], "NO_TRIP")


@test
async def rejects_batches_with_an_unreadable_event_and_batches_over_the_limits():
    status, _, body = await trip_request({"trip_id": "tr_c1", "state": "ACCEPTED"})
    equal((status, body["error"]["code"], body["error"]["field"]), (400, "MISSING_KEY", "driver_id"))
    status, _, body = await trip_request([event("tr_c1", "c1"), event("tr_c2", "c2", "FLYING")])
    equal((status, body["error"]["code"], body["error"]["field"]), (400, "UNKNOWN_STATE", "state"))
    equal(body["error"]["unreadable"], [{"first": 1, "last": 1, "code": "UNKNOWN_STATE", "field": "state"}])
    status, _, body = await trip_request([event("tr_c1", "c1")] * 501)
    equal((status, body["error"]["code"]), (400, "BATCH_TOO_LARGE"))
    status, _, body = await trip_request(b"[" + b" " * (1 << 20) + b"]")
    equal((status, body["error"]["code"]), (413, "TOO_LARGE"))


@test
async def trip_events_require_the_scope_trips():
    for token, expected in [
        ("d1", (403, "NOT_ALLOWED")), ("rider", (403, "NOT_ALLOWED")), ("expired", (401, "TOKEN_EXPIRED")),
        ("none", (401, "TOKEN_MISSING")),
    ]:
        status, _, body = await trip_request(event("tr_c1", "c1"), token)
        equal((token, (status, body["error"]["code"])), (token, expected))


@test
async def pings_are_answered():
    async with device("d1") as client:
        await client.send(type="ping", message_id=5)
        equal((await client.next("pong", "error"))["request_id"], 5)


@test
async def rejected_tokens_get_an_error_and_a_close_code():
    for token, code in [
        ("expired", "TOKEN_EXPIRED"), ("forged", "TOKEN_INVALID"), ("none", "TOKEN_MISSING"), ("rider", "NOT_ALLOWED"),
    ]:
        query = "" if token == "none" else f"?token={TOKENS[token]}"
        async with Device(ADDRESS, query) as client:
            equal((token, (await client.next())["code"]), (token, code))
            equal((token, await client.closed()), (token, 4401))


@test
async def a_new_token_must_be_of_the_same_driver():
    async with device("d1") as client:
        await client.send(type="authenticate", token=TOKENS["d1"], message_id=3)
        equal((await client.next("authenticated", "error"))["request_id"], 3)
        await client.send(type="authenticate", token=TOKENS["d2"])
        equal((await client.next("error"))["code"], "NOT_ALLOWED")
        equal(await client.closed(), 4401)


@test
async def oversized_messages_close_the_connection():
    async with device("d1") as client:
        await client.next("location_config")
        await client.socket.send("[" + " " * (1 << 20) + "]")
        equal(await client.closed(), 1009)


@test
async def acknowledges_a_backlog_beyond_burst_and_window():
    # The driver's limit is a burst of 60, then 10 messages per second; up to 64 records may be unacknowledged.
    async with device("backlog") as client:
        for sequence in range(1, 101):
            await client.send(**location(sequence))
        message, _ = await client.acknowledged(100)
        equal((message["records"], message["sequence"]), (100, 100))


@test
async def a_device_resends_unacknowledged_locations_after_a_disconnect():
    async with device("cut") as client:
        for sequence in range(1, 41):
            await client.send(**location(sequence))
        client.socket.transport.abort()
    async with device("cut") as client:
        # The gateway may have read any part of the first connection.
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


@test
async def http_responses_contain_the_acknowledgement():
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


@test
async def accepts_percent_encoded_driver_ids():
    equal((await request("of:colon", location(1), path="of%3Acolon"))[0], 200)
    equal((await request("of:colon", location(2)))[0], 200)


@test
async def http_errors_have_status_and_code():
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


@test
async def rejects_compressed_bodies():
    for coding in ["gzip", "deflate", "identity, br"]:
        body = gzip.compress(json.dumps(location(1)).encode())
        status, headers, answer = await request("d1", body, **{"Content-Encoding": coding})
        equal((status, answer["error"]["code"]), (415, "UNSUPPORTED_ENCODING"))
        assert "Content-Encoding" in answer["error"]["message"], answer
        equal(headers["Accept-Encoding"], "identity")
    equal((await trip_request(b"{}", **{"Content-Encoding": "gzip"}))[0], 415)
    equal((await request("d1", location(90), **{"Content-Encoding": "identity"}))[0], 200)
    # The timestamp in the gzip header may contain a quote, which a JSON parser reads as the start of a string.
    for timestamp in [0, ord('"'), 1741977135]:
        status, _, answer = await request("d1", gzip.compress(b"{}", mtime=timestamp))
        equal((status, answer["error"]["code"]), (400, "INVALID_UTF8"))
        assert "compressed by gzip" in answer["error"]["message"], answer


@test
async def ignores_a_byte_order_mark():
    mark = "\ufeff".encode()
    equal((await request("marked", mark + json.dumps(location(1)).encode()))[0], 200)
    async with device("marked") as client:
        await client.socket.send("\ufeff" + json.dumps(location(2) | {"message_id": "m2"}))
        _, ids = await client.acknowledged(1)
        equal(ids, ["m2"])


@test
async def reports_a_missing_latitude_for_an_unknown_structure():
    body = {"location": {"coords": {"latitude": 31.2, "longitude": -97.4}, "timestamp": 1741977135123}}
    status, _, answer = await request("d1", body)
    equal((status, answer["error"]["code"], answer["error"]["field"]), (400, "MISSING_FIELD", "latitude"))
    assert answer["error"]["message"].startswith("latitude is missing"), answer


@test
async def rejects_text_after_an_array():
    body = json.dumps([location(1)]) + ',"x":1'
    status, _, answer = await request("d1", body.encode())
    equal((status, answer["error"]["code"]), (400, "MALFORMED_JSON"))


@test
async def rejects_requests_beyond_the_rate_limit_with_retry_after():
    # The limit is a burst of 60, then 10 per second. All requests are concurrent, so that the result does not depend on
    # the broker's latency.
    responses = await asyncio.gather(*[request("fast", location(number)) for number in range(1, CONCURRENT + 1)])
    rejected = [response for response in responses if response[0] != 200]
    assert rejected and all(response[0] == 429 for response in rejected), [response[0] for response in rejected]
    assert all(int(response[1]["Retry-After"]) >= 1 for response in rejected)
    equal({response[2]["error"]["code"] for response in rejected}, {"RATE_LIMITED"})


@test
async def limits_addresses_and_counts_ipv6_by_network():
    async def status(address):
        return (await request("d1", location(1), address=LIMITED, **{"X-Client": address}))[0]

    for pattern in ["2001:db8::{}", "192.0.2.7"]:
        statuses = await asyncio.gather(*[status(pattern.format(number)) for number in range(1, CONCURRENT + 1)])
        equal(set(statuses), {200, 429})
    equal(await status("2001:db8:0:1::1"), 200)
    equal(await status("198.51.100.1, 192.0.2.8"), 200)

    async def first_message():
        async with Device(LIMITED, f"?token={TOKENS['d1']}", **{"X-Client": "2001:db8::ffff"}) as client:
            message = await client.next()
            return message, await client.closed() if message["type"] == "error" else None

    # One or two may be accepted, since the token bucket refills meanwhile.
    rejected = [result for result in await asyncio.gather(*[first_message() for _ in range(40)]) if result[1]]
    equal({(message["code"], closed) for message, closed in rejected}, {("RATE_LIMITED", 4429)})
    assert all(message["retry_after_ms"] > 0 for message, _ in rejected)


run(threads=CONCURRENT)
