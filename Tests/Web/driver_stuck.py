"""Devices of one partition that cannot be written, beside one of another partition.

    driver_stuck.py ADDRESS STUCK TOKENS SERVED    STUCK: drivers of the partition, with commas; SERVED: the other driver;
                                                   TOKENS: JSON with a token of each

Sends more over WebSockets than a queue of 64 MiB takes, and says "flooded" when no more is taken. Then the other driver
posts and sends over a WebSocket, and each status is printed. Says "done", and holds the WebSockets.
"""

import asyncio
import json
import sys

from driver_client import Device, location, post

ADDRESS, STUCK, TOKENS, SERVED = sys.argv[1], sys.argv[2].split(","), json.loads(sys.argv[3]), sys.argv[4]
BATCH = json.dumps({"locations": [location(number)["payload"] | {"sequence": number} for number in range(1, 501)]})
BATCHES = 60
# A send that is not taken for so long waits for a queue that is full.
TAKEN_SECONDS = 3


async def flood(device):
    try:
        for _ in range(BATCHES):
            async with asyncio.timeout(TAKEN_SECONDS):
                await device.socket.send(BATCH)
    except TimeoutError:
        pass


async def posted(driver, sequence):
    status, headers, body = await asyncio.to_thread(post, ADDRESS, driver, location(sequence), TOKENS[driver])
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
        await posted(SERVED, sequence)
    async with Device(ADDRESS, f"?token={TOKENS[SERVED]}") as device:
        await device.send(**location(10))
        await device.acknowledged(1)
        print("served by a WebSocket", flush=True)
    print("done", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
