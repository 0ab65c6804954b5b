"""What the gateways promise of trips that are requested before they have a driver, in docs/driver-gateway.md.

    trip_requests.py HOST PORT TOKENS LOG DRIVERS WHOLE    as gateway_client.py has them; DRIVERS: where two
                                                           driver-gateways listen, with a comma; WHOLE: gets what a client
                                                           of one whole trip received
"""

import asyncio
import json
import sys
import time
import urllib.parse
import urllib.request

from driver_client import post_to
from gateway_client import DEADLINE_SECONDS, HOST, PORT, TOKENS, Client, request
from promises import equal, promise, run
from stream_client import EventStream, connect

(DRIVERS, OTHERS), WHOLE = sys.argv[5].split(","), sys.argv[6]
PICKUP = {"stop_id": "pickup", "latitude": 37.78, "longitude": -122.41}


def event(trip, state="REQUESTED", driver=None, **members):
    return {"trip_id": trip, "state": state} | ({"driver_id": driver} if driver else {}) | members


async def post(*events, address=DRIVERS):
    """Status, headers and JSON of the answer to an event, or to several in one array."""
    body = events[0] if len(events) == 1 else list(events)
    return await asyncio.to_thread(post_to, f"http://{address}/trips", body, TOKENS["backend"])


async def posted(*events):
    status, _, body = await post(*events)
    equal((status, body.get("unreadable")), (200, []))
    return body["acknowledged"]


async def get(path, **headers):
    return await asyncio.to_thread(request, path, **headers)


async def until(holds):
    """Asks until it holds; each question is a request."""
    end = time.monotonic() + DEADLINE_SECONDS
    while not (found := await holds()):
        assert time.monotonic() < end, "it did not come to be in time"
        await asyncio.sleep(0.1)
    return found


@promise
async def a_requested_trip_is_followed_from_its_request_to_its_end():
    equal(await posted(event("whole", facts={"pickup": "Market St"})), {"records": 0, "requests": 1})
    with open(WHOLE, "w") as log:
        async with Client() as client:

            async def message(*types):
                found = await client.next(*types)
                print(client.text, file=log)
                return found

            await client.send(type="subscribe", channel="trip:whole", message_id="mine")
            first = await message("subscribed", "error")
            equal((first["type"], first["request_id"], first["replay_from"]), ("subscribed", "mine", None))
            equal(first["cursor"], [])
            snapshot = first["snapshot"]
            equal((snapshot["state"], snapshot["facts"]), ("REQUESTED", {"pickup": "Market St"}))
            assert abs(snapshot["updated_at"] / 1000 - time.time()) < 600, snapshot
            equal({snapshot[name] for name in ("event_id", "position", "eta", "change", "route_polyline")}, {None})
            await posted(event("whole", "ACCEPTED", "w1", stops=[PICKUP], facts={"driver": {"first_name": "Ann"}}))
            begun = await message("subscribed", "error")
            equal((begun["type"], begun["replay_from"], begun["channel"]), ("subscribed", None, "trip:whole"))
            assert begun["cursor"] and begun["snapshot"]["event_id"], begun
            told = [begun["snapshot"]["state"]]
            for state in ["ARRIVED", "IN_PROGRESS", "COMPLETED"]:
                await posted(event("whole", state, "w1"))
                while told[-1] != state:
                    found = await message()
                    if found["type"] == "trip_state_changed":
                        told.append(found["payload"]["state"])
            # The hash may begin with another update than the change to ACCEPTED, which then follows as an event.
            equal([state for state in told if state], ["ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED"])


@promise
async def a_client_that_reconnects_is_told_of_the_request_and_of_its_end():
    await posted(event("ended"))
    async with Client() as client:
        await client.send(type="reconnect", trip_id="ended", last_event_id="3-7", client_state="ACCEPTED")
        message = await client.next("state_sync", "error")
        equal((message.get("current_state"), message.get("full_refresh")), ("REQUESTED", True))
        equal((message["missed_events"], message["latest_driver_location"], message["cursor"]), ([], None, []))
        await posted(event("ended", "CANCELLED", facts={"reason": "no driver"}))
        message = await client.next("state_sync", "error")
        equal((message["current_state"], message["snapshot"]["facts"]), ("CANCELLED", {"reason": "no driver"}))
    # Nothing follows a cancellation.
    await posted(event("ended"))
    equal((await get("/trips/ended"))[2]["state"], "CANCELLED")


@promise
async def requests_over_http_are_answered_with_it():
    await posted(event("asked", facts={"a": 1}))
    status, headers, body = await get("/trips/asked")
    equal((status, body["trip_id"], body["state"], body["facts"]), (200, "asked", "REQUESTED", {"a": 1}))
    equal((body["cursor"], body["event_id"]), ([], None))
    tag = headers["ETag"]
    equal((await get("/trips/asked", **{"If-None-Match": tag}))[0], 304)
    status, _, etas = await get("/trips/asked/etas")
    equal((status, etas), (200, {"trip_id": "asked", "state": "REQUESTED", "event_id": None, "eta": None}))
    for query in ["?wait=25", "?after=3-7&wait=25"]:
        status, _, events = await get(f"/trips/asked/events{query}")
        equal((status, events["events"], events["cursor"]), (200, [], []))
        equal(events["snapshot"]["state"], "REQUESTED")
    await posted(event("asked", "CANCELLED"))
    status, headers, body = await get("/trips/asked", **{"If-None-Match": tag})
    equal((status, body["state"], body["facts"]), (200, "CANCELLED", {"a": 1}))
    assert headers["ETag"] != tag


@promise
async def a_stream_begins_with_it_and_has_no_id_before_the_first_event():
    await posted(event("streamed"))
    await asyncio.to_thread(follow_stream, "streamed")


def follow_stream(trip):
    connection, answer = connect(f"{HOST}:{PORT}", trip, TOKENS["rider"], None)
    try:
        stream = EventStream(answer)
        found = (event for event in stream if event)
        kind, text = next(found)[:2]
        equal((kind, json.loads(text)["snapshot"]["state"], stream.last_id), ("subscribed", "REQUESTED", None))
        post_to(f"http://{DRIVERS}/trips", event(trip, "ACCEPTED", "s1", stops=[PICKUP]), TOKENS["backend"])
        kind, text = next(found)[:2]
        equal((kind, "snapshot" in json.loads(text)), ("subscribed", True))
        assert stream.last_id, "the next request resumes"
    finally:
        answer.close()
        connection.close()


@promise
async def phones_can_be_registered_before_a_match():
    await posted(event("pushed"))
    body = json.dumps({"platform": "apns", "token": "00ff"}).encode()

    def register():
        headers = {"Authorization": f"Bearer {TOKENS['rider']}", "Content-Type": "application/json"}
        asked = urllib.request.Request(
            f"http://{HOST}:{PORT}/trips/pushed/devices", data=body, headers=headers, method="PUT")
        with urllib.request.urlopen(asked, timeout=DEADLINE_SECONDS) as answer:
            return answer.status

    equal(await asyncio.to_thread(register), 204)


@promise
async def an_older_event_never_takes_the_place_of_a_newer_one():
    async def state(trip):
        body = (await get(f"/trips/{trip}"))[2]
        return body["facts"], body["updated_at"]

    await posted(event("counted", version=2, facts={"n": 2}))
    held = await state("counted")
    equal(held[0], {"n": 2})
    for late in [event("counted", version=1, facts={"n": 1}), event("counted", version=2, facts={"n": 2}),
                 event("counted", "CANCELLED", version=1)]:
        await posted(late)
        equal(await state("counted"), held)
    await posted(event("counted", version=3, facts={"n": 3}))
    newer = await state("counted")
    assert newer[0] == {"n": 3} and newer[1] > held[1], newer
    await posted(event("timed", changed_at=1700000000002, facts={"n": 2}))
    await posted(event("timed", changed_at=1700000000001, facts={"n": 1}))
    equal((await state("timed"))[0], {"n": 2})


@promise
async def of_events_that_two_gateways_get_at_the_same_time_the_newest_counts():
    async def send(version):
        async def is_taken():
            # Where others write the same request again and again, the trip service is told to send its event again.
            address = OTHERS if version % 2 else DRIVERS
            status, _, _ = await post(event("contended", version=version, facts={"n": version}), address=address)
            assert status in (200, 503), status
            return status == 200

        await until(is_taken)

    await asyncio.gather(*[send(version) for version in range(1, 41)])
    equal((await get("/trips/contended"))[2]["facts"], {"n": 40})


@promise
async def a_batch_has_events_of_both_kinds_and_is_taken_whole_or_not_at_all():
    acknowledged = await posted(event("mixed"), event("driven", "ACCEPTED", "m1", stops=[PICKUP]))
    equal(acknowledged, {"records": 1, "requests": 1})
    equal((await get("/trips/mixed"))[2]["state"], "REQUESTED")
    status, _, body = await post(event("refused"), event("driven", "ARRIVED"))
    equal((status, body["error"]["code"], body["error"]["field"]), (400, "MISSING_KEY", "driver_id"))
    equal(body["error"]["unreadable"], [{"first": 1, "last": 1, "code": "MISSING_KEY", "field": "driver_id"}])
    equal((await get("/trips/refused"))[0], 404)


@promise
async def a_trip_that_has_a_driver_is_not_cancelled_without_him():
    await posted(event("matched"))
    await posted(event("matched", "ACCEPTED", "x1", stops=[PICKUP]))

    async def is_known():
        return (await get("/trips/matched"))[2]["cursor"]

    await until(is_known)
    status, _, body = await post(event("matched", "CANCELLED"))
    equal((status, body["error"]["code"], body["error"]["unreadable"]), (400, "MISSING_KEY", []))
    status, _, body = await post(event("other"), event("matched", "CANCELLED"))
    equal(body["error"]["unreadable"], [{"first": 1, "last": 1, "code": "MISSING_KEY", "field": "driver_id"}])
    equal((await get("/trips/other"))[0], 404)
    # The request may be sent again at any time.
    await posted(event("matched"))
    assert (await get("/trips/matched"))[2]["event_id"]


@promise
async def ids_are_taken_as_they_are():
    await posted(event("of:colon-1.2"))
    equal((await get(f"/trips/{urllib.parse.quote('of:colon-1.2', safe='')}"))[2]["state"], "REQUESTED")


run()
