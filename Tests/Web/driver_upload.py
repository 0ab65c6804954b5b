"""A device that uploads its buffer, and resumes after the last acknowledged location when a connection breaks.

    driver_upload.py ADDRESS TOKEN COUNT    sends locations with the sequences 1 to COUNT

Prints "acknowledged N" for each acknowledgement up to the sequence N and "lost" for each broken connection, and ends
when all locations are acknowledged.
"""

import asyncio
import sys

import websockets
from driver_client import Device, location

ADDRESS, TOKEN, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])


async def send(client, first):
    for sequence in range(first, COUNT + 1):
        await client.send(**location(sequence))


async def upload(acknowledged):
    """Sends the unacknowledged locations; returns the last acknowledged sequence when the connection ends."""
    sending = None
    try:
        async with Device(ADDRESS, f"?token={TOKEN}") as client:
            sending = asyncio.create_task(send(client, acknowledged + 1))
            while acknowledged < COUNT:
                message = await client.next("ack", "error")
                if message["type"] == "error":
                    print(message, flush=True)
                else:
                    acknowledged = message["sequence"] or acknowledged
                    print(f"acknowledged {acknowledged}", flush=True)
    except (OSError, websockets.exceptions.WebSocketException):
        print("lost", flush=True)
        # The reconnect delay of a device.
        await asyncio.sleep(0.2)
    finally:
        if sending:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
    return acknowledged


async def main():
    acknowledged = 0
    while acknowledged < COUNT:
        acknowledged = await upload(acknowledged)


asyncio.run(main())
