"""A driver's device that is told of warnings.

    driver_warnings.py ADDRESS TOKEN [MESSAGE]    sends MESSAGE once it is welcomed, and prints the messages that it
                                                  gets, one a line, until it is ended
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
