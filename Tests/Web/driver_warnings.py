"""A driver's device that receives warnings.

    driver_warnings.py ADDRESS TOKEN [MESSAGE…]    sends the messages after the welcome message, then prints all
                                                   received messages, one per line, until it is killed
"""

import asyncio
import sys

from driver_client import Device

ADDRESS, TOKEN, *MESSAGES = sys.argv[1:]


async def main():
    async with Device(ADDRESS, f"?token={TOKEN}") as client:
        await client.next("welcome")
        for message in MESSAGES:
            await client.socket.send(message)
        async for text in client.socket:
            print(text, flush=True)


asyncio.run(main())
