"""A plain WebSocket server: pushes what comes in over a TCP socket to the clients that watch its channel.

    websockets_peer.py PORT FEED_PORT

Clients send {"type":"subscribe","channel":…}. The feed has a line for each update: channel, tab, update.
"""

import asyncio
import json
import resource
import sys

from websockets.asyncio.server import broadcast, serve

channels = {}


async def follow(socket):
    """Serves a client: it watches the channels that it subscribes to, until it goes."""
    watched = []
    try:
        async for message in socket:
            name = json.loads(message)["channel"]
            channels.setdefault(name, set()).add(socket)
            watched.append(name)
            await socket.send(json.dumps({"type": "subscribed", "channel": name}, separators=(",", ":")))
    finally:
        for name in watched:
            channels[name].discard(socket)


async def take(reader, writer):
    """Serves the feed."""
    while line := await reader.readline():
        name, _, update = line.decode().rstrip("\n").partition("\t")
        broadcast(channels.get(name, ()), update)
    writer.close()


async def main(port, feed_port):
    # Compression would favour the gateway, which has none.
    async with serve(follow, "127.0.0.1", port, compression=None, backlog=4096):
        async with await asyncio.start_server(take, "127.0.0.1", feed_port, limit=1 << 20) as feed:
            await feed.serve_forever()


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
