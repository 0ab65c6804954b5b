"""A plain WebSocket server that pushes updates from a TCP connection to the subscribers of their channels.

    websockets_peer.py PORT FEED_PORT

Clients send {"type":"subscribe","channel":…}. The TCP connection has one line per update: channel, tab, update.
"""

import asyncio
import json
import resource
import sys

from websockets.asyncio.server import broadcast, serve

channels = {}


async def serve_client(socket):
    """Adds a client to the channels that it subscribes to, until it disconnects."""
    subscribed = []
    try:
        async for message in socket:
            name = json.loads(message)["channel"]
            channels.setdefault(name, set()).add(socket)
            subscribed.append(name)
            await socket.send(json.dumps({"type": "subscribed", "channel": name}, separators=(",", ":")))
    finally:
        for name in subscribed:
            channels[name].discard(socket)


async def serve_feed(reader, writer):
    """Broadcasts the updates of the TCP connection."""
    while line := await reader.readline():
        name, _, update = line.decode().rstrip("\n").partition("\t")
        broadcast(channels.get(name, ()), update)
    writer.close()


async def main(port, feed_port):
    # Without compression, because the gateway has none.
    async with serve(serve_client, "127.0.0.1", port, compression=None, backlog=4096):
        async with await asyncio.start_server(serve_feed, "127.0.0.1", feed_port, limit=1 << 20) as feed:
            await feed.serve_forever()


if __name__ == "__main__":
    _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
