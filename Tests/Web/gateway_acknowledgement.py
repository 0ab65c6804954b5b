"""What rider-gateway promises of events that a client acknowledges in docs/gateway.md.

    gateway_acknowledgement.py HOST PORT TOKENS LOG METRICS    as gateway_client.py has them; METRICS: the URL of the
                                                               gateway's metrics
"""

import asyncio
import re
import sys
import urllib.request

from gateway_client import DEADLINE_SECONDS, Client
from promises import equal, promise, run

METRICS = sys.argv[5]


def observed():
    """How many events have been acknowledged, by the gateway's histogram."""
    with urllib.request.urlopen(METRICS, timeout=DEADLINE_SECONDS) as answer:
        found = re.search(
            r"^sightline_gateway_acknowledgement_seconds_count (\S+)$", answer.read().decode(), re.MULTILINE)
    return float(found[1]) if found else 0


async def observe_more_than(count):
    async with asyncio.timeout(DEADLINE_SECONDS):
        while await asyncio.to_thread(observed) <= count:
            await asyncio.sleep(0.1)


async def missed(client):
    """Follows trip:told with acknowledgements, from behind its first event on: a change of its state, then positions."""
    await client.send(type="subscribe", channel="trip:told", last_event_id="0-0", acknowledge=True)
    answer = await client.next("subscribed", "error")
    equal((answer["type"], answer.get("replay_from"), answer.get("acknowledge")), ("subscribed", "0-0", True))
    events = [await client.next() for _ in range(9)]
    equal((events[0]["type"], events[0]["event_id"], events[-1]["event_id"]), ("trip_state_changed", "0-1", "0-9"))


async def pong(client):
    """The connection is there; what comes meanwhile is left out."""
    await client.send(type="ping")
    equal((await client.next("pong", "error"))["type"], "pong")


@promise
async def a_connection_whose_events_are_not_acknowledged_is_closed_and_others_stay():
    async with Client() as all_of_it, Client() as first, Client() as positions, Client() as state, Client() as silent:
        before = await asyncio.to_thread(observed)
        for client, events in ((all_of_it, "0-9"), (first, ["0-1"])):
            await missed(client)
            await client.send(type="ack", channel="trip:told", event_id=events)
        await observe_more_than(before + 1)
        # A position need not be acknowledged, and neither does the state in full.
        await positions.send(type="subscribe", channel="trip:live", acknowledge=True)
        await positions.next("driver_location")
        await state.send(type="subscribe", channel="trip:told", acknowledge=True)
        assert "snapshot" in await state.next("subscribed")

        await missed(silent)
        error = await silent.next("error")
        equal((error["code"], "channel" in error), ("NOT_ACKNOWLEDGED", False))
        equal(await silent.closed(), 4408)
        for client in (all_of_it, first, positions, state):
            await pong(client)
        # It resumes from its own cursor.
        async with Client() as again:
            await missed(again)
            await again.send(type="ack", channel="trip:told", event_id="0-9")
            await observe_more_than(before + 2)


@promise
async def missed_events_of_a_reconnection_are_acknowledged_too():
    async with Client() as client:
        before = await asyncio.to_thread(observed)
        await client.send(type="reconnect", trip_id="told", last_event_id="0-0", acknowledge=True)
        answer = await client.next("state_sync", "error")
        equal((answer["type"], answer["acknowledge"], len(answer["missed_events"])), ("state_sync", True, 9))
        await client.send(type="ack", channel="trip:told", event_id=answer["cursor"])
        await observe_more_than(before)


@promise
async def an_acknowledgement_that_says_nothing_is_refused_and_the_connection_stays():
    async with Client() as client:
        await missed(client)
        # What was acknowledged is not answered, and may be acknowledged again.
        for event in ("0-1", "0-9", "0-9", "0-1"):
            await client.send(type="ack", channel="trip:told", event_id=event)
        await pong(client)
        await client.send(type="subscribe", channel="trip:live")
        await client.next("subscribed")
        for message in [
            {"channel": "trip:live", "event_id": "1-0"},
            {"channel": "trip:moved", "event_id": "3-0"},
            {"channel": "fleet", "event_id": "0-1"},
            {"event_id": "0-1"},
            {"channel": "trip:told"},
            {"channel": "trip:told", "event_id": "x"},
            {"channel": "trip:told", "event_id": []},
            {"channel": "trip:told", "event_id": 1},
            {"channel": "trip:told", "event_id": "0-10"},
            {"channel": "trip:told", "event_id": ["0-1", "1-0"]},
            {"channel": "trip:told", "event_id": "t0-0"},
        ]:
            await client.send(type="ack", **message)
            error = await client.next("error")
            # A channel would say that its subscription has ended.
            equal((message, error["code"], "channel" in error), (message, "INVALID_MESSAGE", False))
        await pong(client)


@promise
async def the_fleet_cannot_be_acknowledged():
    async with Client("operator") as client:
        await client.send(type="subscribe", channel="fleet", acknowledge=True)
        equal((await client.next("error", "subscribed")).get("code"), "INVALID_SUBSCRIPTION")


@promise
async def without_the_option_nothing_is_expected():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:told", acknowledge=False)
        answer = await client.next("subscribed", "error")
        assert "acknowledge" not in answer, answer
        await client.send(type="ack", channel="trip:told", event_id="0-9")
        equal((await client.next("error"))["code"], "INVALID_MESSAGE")


run()
