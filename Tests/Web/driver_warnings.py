"""A driver's device that is told of warnings.

    driver_warnings.py ADDRESS TOKEN    prints the messages that it gets, one a line, until it is ended
"""

import asyncio
import sys

from driver_client import Device

ADDRESS, TOKEN = sys.argv[1], sys.argv[2]


async def main():
    async with Device(ADDRESS, f"?token={TOKEN}") as client:
        async for text in client.socket:
            print(text, flush=True)


asyncio.run(main())
