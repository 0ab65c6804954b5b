"""Tests the acknowledgement of events (docs/gateway.md).

    gateway_acknowledgement.py HOST PORT TOKENS LOG METRICS    HOST PORT TOKENS LOG: see gateway_client.py; METRICS: the
                                                               URL of the gateway's metrics
"""

import asyncio
import sys

from gateway_client import Client
from protocol_test import equal, metric, run, test, wait_until

METRICS = sys.argv[5]


def acknowledged_count():
    """Returns the gateway's count of acknowledged events."""
    return metric(METRICS, "sightline_gateway_acknowledgement_seconds_count")


async def wait_for_more_than(count):
    await asyncio.to_thread(wait_until, lambda: acknowledged_count() > count, "the events are acknowledged")


async def receive_missed_events(client):
    """Resumes trip:known after its first event; receives a state change and eight positions to acknowledge."""
    await client.send(type="subscribe", channel="trip:known", last_event_id="0-0", acknowledge=True)
    answer = await client.next("subscribed", "error")
    equal((answer["type"], answer.get("replay_from"), answer.get("acknowledge")), ("subscribed", "0-0", True))
    events = [await client.next() for _ in range(9)]
    equal((events[0]["type"], events[0]["event_id"], events[-1]["event_id"]), ("trip_state_changed", "0-1", "0-9"))


async def expect_open(client):
    await client.send(type="ping")
    equal((await client.next("pong", "error"))["type"], "pong")


@test
async def closes_only_connections_without_acknowledgements():
    async with Client() as all_events, Client() as first, Client() as positions, Client() as state, Client() as silent:
        before = await asyncio.to_thread(acknowledged_count)
        for client, events in ((all_events, "0-9"), (first, ["0-1"])):
            await receive_missed_events(client)
            await client.send(type="ack", channel="trip:known", event_id=events)
        await wait_for_more_than(before + 1)
        # Positions and snapshots need no acknowledgement.
        await positions.send(type="subscribe", channel="trip:live", acknowledge=True)
        await positions.next("driver_location")
        await state.send(type="subscribe", channel="trip:known", acknowledge=True)
        assert "snapshot" in await state.next("subscribed")

        await receive_missed_events(silent)
        error = await silent.next("error")
        equal((error["code"], "channel" in error), ("NOT_ACKNOWLEDGED", False))
        equal(await silent.closed(), 4408)
        for client in (all_events, first, positions, state):
            await expect_open(client)
        async with Client() as resumed:
            await receive_missed_events(resumed)
            await resumed.send(type="ack", channel="trip:known", event_id="0-9")
            await wait_for_more_than(before + 2)


@test
async def accepts_acknowledgements_of_missed_events_after_reconnect():
    async with Client() as client:
        before = await asyncio.to_thread(acknowledged_count)
        await client.send(type="reconnect", trip_id="known", last_event_id="0-0", acknowledge=True)
        answer = await client.next("state_sync", "error")
        equal((answer["type"], answer["acknowledge"], len(answer["missed_events"])), ("state_sync", True, 9))
        await client.send(type="ack", channel="trip:known", event_id=answer["cursor"])
        await wait_for_more_than(before)


@test
async def rejects_invalid_acknowledgements_and_keeps_the_connection():
    async with Client() as client:
        await receive_missed_events(client)
        # Repeated acknowledgements are valid and get no response.
        for event in ("0-1", "0-9", "0-9", "0-1"):
            await client.send(type="ack", channel="trip:known", event_id=event)
        await expect_open(client)
        await client.send(type="subscribe", channel="trip:live")
        await client.next("subscribed")
        for message in [
            {"channel": "trip:live", "event_id": "1-0"},
            {"channel": "trip:moved", "event_id": "3-0"},
            {"channel": "fleet", "event_id": "0-1"},
            {"event_id": "0-1"},
            {"channel": "trip:known"},
            {"channel": "trip:known", "event_id": "x"},
            {"channel": "trip:known", "event_id": []},
            {"channel": "trip:known", "event_id": 1},
            {"channel": "trip:known", "event_id": "0-10"},
            {"channel": "trip:known", "event_id": ["0-1", "1-0"]},
            {"channel": "trip:known", "event_id": "t0-0"},
        ]:
            await client.send(type="ack", **message)
            error = await client.next("error")
            # An error with a channel would mean that the channel's subscription has ended.
            equal((message, error["code"], "channel" in error), (message, "INVALID_MESSAGE", False))
        await expect_open(client)


@test
async def rejects_a_fleet_subscription_with_acknowledgements():
    async with Client("operator") as client:
        await client.send(type="subscribe", channel="fleet", acknowledge=True)
        equal((await client.next("error", "subscribed")).get("code"), "INVALID_SUBSCRIPTION")


@test
async def rejects_acknowledgements_without_the_option():
    async with Client() as client:
        await client.send(type="subscribe", channel="trip:known", acknowledge=False)
        answer = await client.next("subscribed", "error")
        assert "acknowledge" not in answer, answer
        await client.send(type="ack", channel="trip:known", event_id="0-9")
        equal((await client.next("error"))["code"], "INVALID_MESSAGE")


run()
