"""Tests trips that are requested before they have a driver (docs/driver-gateway.md).

    trip_requests.py HOST PORT TOKENS LOG GATEWAYS TRIP_LOG

HOST PORT TOKENS LOG: see gateway_client.py; GATEWAYS: addresses of two driver-gateways, separated by a comma; TRIP_LOG:
receives all messages about one complete trip (TripRequestTests.swift).
"""

import asyncio
import json
import sys
import time
import urllib.parse

from gateway_client import HOST, PORT, TOKENS, Client, request
from protocol_test import DEADLINE_SECONDS, equal, fetch, run, test
from stream_client import EventStream, connect

(DRIVER_GATEWAY, OTHER_DRIVER_GATEWAY), TRIP_LOG = sys.argv[5].split(","), sys.argv[6]
PICKUP = {"stop_id": "pickup", "latitude": 37.78, "longitude": -122.41}


def event(trip, state="REQUESTED", driver=None, **members):
    return {"trip_id": trip, "state": state} | ({"driver_id": driver} if driver else {}) | members


async def post(*events, address=DRIVER_GATEWAY):
    """Sends one event, or several events in one array; returns status, headers and JSON of the response."""
    body = events[0] if len(events) == 1 else list(events)
    return await asyncio.to_thread(fetch, f"http://{address}/trips", "POST", body, TOKENS["backend"])


async def post_accepted(*events):
    """Sends events that must be accepted; returns the acknowledgement."""
    status, _, body = await post(*events)
    equal((status, body.get("unreadable")), (200, []))
    return body["acknowledged"]


async def get(path, **headers):
    return await asyncio.to_thread(request, path, **headers)


async def wait_until(condition):
    end = time.monotonic() + DEADLINE_SECONDS
    while not await condition():
        assert time.monotonic() < end, f"not within {DEADLINE_SECONDS} s: {condition.__name__}"
        await asyncio.sleep(0.1)


@test
async def a_subscription_covers_a_trip_from_its_request_to_its_end():
    equal(await post_accepted(event("whole", facts={"pickup": "Market St"})), {"records": 0, "requests": 1})
    with open(TRIP_LOG, "w") as log:
        async with Client() as client:

            async def message(*types):
                received = await client.next(*types)
                print(client.text, file=log)
                return received

            await client.send(type="subscribe", channel="trip:whole", message_id="mine")
            first = await message("subscribed", "error")
            equal((first["type"], first["request_id"], first["replay_from"]), ("subscribed", "mine", None))
            equal(first["cursor"], [])
            snapshot = first["snapshot"]
            equal((snapshot["state"], snapshot["facts"]), ("REQUESTED", {"pickup": "Market St"}))
            assert abs(snapshot["updated_at"] / 1000 - time.time()) < 600, snapshot
            equal({snapshot[name] for name in ("event_id", "position", "eta", "change", "route_polyline")}, {None})
            facts = {"driver": {"first_name": "Ann"}}
            await post_accepted(event("whole", "ACCEPTED", "w1", stops=[PICKUP], facts=facts))
            second = await message("subscribed", "error")
            equal((second["type"], second["replay_from"], second["channel"]), ("subscribed", None, "trip:whole"))
            assert second["cursor"] and second["snapshot"]["event_id"], second
            states = [second["snapshot"]["state"]]
            for state in ["ARRIVED", "IN_PROGRESS", "COMPLETED"]:
                await post_accepted(event("whole", state, "w1"))
                while states[-1] != state:
                    received = await message()
                    if received["type"] == "trip_state_changed":
                        states.append(received["payload"]["state"])
            # The snapshot may precede the change to ACCEPTED, which then follows as an event.
            equal([state for state in states if state], ["ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED"])


@test
async def reconnect_returns_the_request_and_later_its_cancellation():
    await post_accepted(event("ended"))
    async with Client() as client:
        await client.send(type="reconnect", trip_id="ended", last_event_id="3-7", client_state="ACCEPTED")
        message = await client.next("state_sync", "error")
        equal((message.get("current_state"), message.get("full_refresh")), ("REQUESTED", True))
        equal((message["missed_events"], message["latest_driver_location"], message["cursor"]), ([], None, []))
        await post_accepted(event("ended", "CANCELLED", facts={"reason": "no driver"}))
        message = await client.next("state_sync", "error")
        equal((message["current_state"], message["snapshot"]["facts"]), ("CANCELLED", {"reason": "no driver"}))
    # A cancelled trip stays cancelled.
    await post_accepted(event("ended"))
    equal((await get("/trips/ended"))[2]["state"], "CANCELLED")


@test
async def http_routes_return_the_request():
    await post_accepted(event("http", facts={"a": 1}))
    status, headers, body = await get("/trips/http")
    equal((status, body["trip_id"], body["state"], body["facts"]), (200, "http", "REQUESTED", {"a": 1}))
    equal((body["cursor"], body["event_id"]), ([], None))
    tag = headers["ETag"]
    equal((await get("/trips/http", **{"If-None-Match": tag}))[0], 304)
    status, _, etas = await get("/trips/http/etas")
    equal((status, etas), (200, {"trip_id": "http", "state": "REQUESTED", "event_id": None, "eta": None}))
    for query in ["?wait=25", "?after=3-7&wait=25"]:
        status, _, events = await get(f"/trips/http/events{query}")
        equal((status, events["events"], events["cursor"]), (200, [], []))
        equal(events["snapshot"]["state"], "REQUESTED")
    await post_accepted(event("http", "CANCELLED"))
    status, headers, body = await get("/trips/http", **{"If-None-Match": tag})
    equal((status, body["state"], body["facts"]), (200, "CANCELLED", {"a": 1}))
    assert headers["ETag"] != tag


@test
async def a_stream_starts_with_the_request_and_no_id():
    await post_accepted(event("streamed"))
    await asyncio.to_thread(read_stream, "streamed")


def read_stream(trip):
    connection, response = connect(f"{HOST}:{PORT}", trip, TOKENS["rider"], None)
    try:
        stream = EventStream(response)
        events = (item for item in stream if item)
        kind, text = next(events)[:2]
        equal((kind, json.loads(text)["snapshot"]["state"], stream.last_id), ("subscribed", "REQUESTED", None))
        accepted = event(trip, "ACCEPTED", "s1", stops=[PICKUP])
        fetch(f"http://{DRIVER_GATEWAY}/trips", "POST", accepted, TOKENS["backend"])
        kind, text = next(events)[:2]
        equal((kind, "snapshot" in json.loads(text)), ("subscribed", True))
        assert stream.last_id, "the event has no id"
    finally:
        response.close()
        connection.close()


@test
async def phones_can_be_registered_before_a_driver_is_assigned():
    await post_accepted(event("pushed"))
    url, device = f"http://{HOST}:{PORT}/trips/pushed/devices", {"platform": "apns", "token": "00ff"}
    headers = {"Content-Type": "application/json"}
    equal((await asyncio.to_thread(fetch, url, "PUT", device, TOKENS["rider"], **headers))[0], 204)


@test
async def an_older_event_does_not_replace_a_newer_one():
    async def state(trip):
        body = (await get(f"/trips/{trip}"))[2]
        return body["facts"], body["updated_at"]

    await post_accepted(event("counted", version=2, facts={"n": 2}))
    current = await state("counted")
    equal(current[0], {"n": 2})
    for late in [event("counted", version=1, facts={"n": 1}), event("counted", version=2, facts={"n": 2}),
                 event("counted", "CANCELLED", version=1)]:
        await post_accepted(late)
        equal(await state("counted"), current)
    await post_accepted(event("counted", version=3, facts={"n": 3}))
    newer = await state("counted")
    assert newer[0] == {"n": 3} and newer[1] > current[1], newer
    await post_accepted(event("timed", changed_at=1700000000002, facts={"n": 2}))
    await post_accepted(event("timed", changed_at=1700000000001, facts={"n": 1}))
    equal((await state("timed"))[0], {"n": 2})


@test
async def two_gateways_keep_the_newest_of_concurrent_events():
    async def send(version):
        async def is_accepted():
            # 503 after too many conflicting writes: the trip service must send the event again.
            address = OTHER_DRIVER_GATEWAY if version % 2 else DRIVER_GATEWAY
            status, _, _ = await post(event("contended", version=version, facts={"n": version}), address=address)
            assert status in (200, 503), status
            return status == 200

        await wait_until(is_accepted)

    await asyncio.gather(*[send(version) for version in range(1, 41)])
    equal((await get("/trips/contended"))[2]["facts"], {"n": 40})


@test
async def a_batch_of_events_with_and_without_drivers_is_atomic():
    acknowledged = await post_accepted(event("mixed"), event("driven", "ACCEPTED", "m1", stops=[PICKUP]))
    equal(acknowledged, {"records": 1, "requests": 1})
    equal((await get("/trips/mixed"))[2]["state"], "REQUESTED")
    status, _, body = await post(event("rejected"), event("driven", "ARRIVED"))
    equal((status, body["error"]["code"], body["error"]["field"]), (400, "MISSING_KEY", "driver_id"))
    equal(body["error"]["unreadable"], [{"first": 1, "last": 1, "code": "MISSING_KEY", "field": "driver_id"}])
    equal((await get("/trips/rejected"))[0], 404)


@test
async def cancelling_a_trip_with_a_driver_requires_the_driver_id():
    await post_accepted(event("matched"))
    await post_accepted(event("matched", "ACCEPTED", "x1", stops=[PICKUP]))

    async def has_events():
        return (await get("/trips/matched"))[2]["cursor"]

    await wait_until(has_events)
    status, _, body = await post(event("matched", "CANCELLED"))
    equal((status, body["error"]["code"], body["error"]["unreadable"]), (400, "MISSING_KEY", []))
    status, _, body = await post(event("other"), event("matched", "CANCELLED"))
    equal(body["error"]["unreadable"], [{"first": 1, "last": 1, "code": "MISSING_KEY", "field": "driver_id"}])
    equal((await get("/trips/other"))[0], 404)
    # The request may be repeated at any time.
    await post_accepted(event("matched"))
    assert (await get("/trips/matched"))[2]["event_id"]


@test
async def ids_may_contain_punctuation():
    await post_accepted(event("of:colon-1.2"))
    equal((await get(f"/trips/{urllib.parse.quote('of:colon-1.2', safe='')}"))[2]["state"], "REQUESTED")


run()
