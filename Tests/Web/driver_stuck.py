"""Devices of a partition that cannot be written, and a device of another partition.

    driver_stuck.py ADDRESS STUCK TOKENS SERVED    STUCK: drivers of the stuck partition, separated by commas;
                                                   SERVED: another driver; TOKENS: JSON with their tokens

Prints "flooded" when the WebSockets of the STUCK drivers block or have sent more than the 64 MiB queue holds. Then the
SERVED driver sends over HTTP and a WebSocket, with a line per result. Prints "done", and keeps the WebSockets open.
"""

import asyncio
import json
import sys

from driver_client import Device, location, post

ADDRESS, STUCK, TOKENS, SERVED = sys.argv[1], sys.argv[2].split(","), json.loads(sys.argv[3]), sys.argv[4]
BATCH = json.dumps({"locations": [location(number)["payload"] | {"sequence": number} for number in range(1, 501)]})
BATCHES = 60
# If a send blocks for this long, the queue is full.
BLOCKED_SECONDS = 3


async def flood(device):
    try:
        for _ in range(BATCHES):
            async with asyncio.timeout(BLOCKED_SECONDS):
                await device.socket.send(BATCH)
    except TimeoutError:
        pass


async def post_location(driver, sequence):
    status, headers, _ = await asyncio.to_thread(post, ADDRESS, driver, location(sequence), TOKENS[driver])
    print("served", status, headers["Retry-After"], flush=True)


async def main():
    devices = []
    for driver in STUCK:
        device = Device(ADDRESS, f"?token={TOKENS[driver]}")
        await device.__aenter__()
        devices.append(device)
    await asyncio.gather(*[flood(device) for device in devices])
    print("flooded", flush=True)
    for sequence in range(1, 6):
        await post_location(SERVED, sequence)
    async with Device(ADDRESS, f"?token={TOKENS[SERVED]}") as device:
        await device.send(**location(10))
        await device.acknowledged(1)
        print("served by a WebSocket", flush=True)
    print("done", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
