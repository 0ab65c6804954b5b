"""A device that uploads its buffer, and begins again where it was acknowledged after every connection that is lost.

    driver_upload.py ADDRESS TOKEN COUNT    sends locations with the sequences 1 to COUNT

Prints "acknowledged N" with each acknowledgement, "lost" with each connection that is lost, and ends when all is
acknowledged.
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
    """Sends what is not acknowledged; returns up to where it is when the connection ends."""
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
        # As a device does before it connects again.
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
