"""Sends random bytes to a gateway: handshakes, frames and requests, valid and invalid, in random segments.

    random_sockets.py HOST PORT METRICS PATH TOKEN SEED CONNECTIONS

PATH: path of the gateway's WebSocket; METRICS: URL of its metrics. Fails if the gateway refuses a connection, which
means that it has ended, if it never closes a WebSocket with a protocol error, which means that no handshake succeeded,
or if it keeps a WebSocket after its client has disconnected. It counts such a socket as open, and then closes it with
code 4408, as that of a client that reads too slowly.
"""

import base64
import contextlib
import random
import re
import socket
import struct
import sys
import time
import urllib.request

HOST, PORT, METRICS, PATH, TOKEN = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4].encode(), sys.argv[5].encode()
SEED, CONNECTIONS = int(sys.argv[6]), int(sys.argv[7])
DEADLINE_SECONDS = 60
RANDOM = random.Random(SEED)
MESSAGES = [
    b'{"type":"ping"}', b'{"type":"subscribe","channel":"trip:a"}', b'{"type":"authenticate","token":"%s"}' % TOKEN,
    b'{"type":"location","latitude":1e999,"longitude":2}', b'{"type":"subscribe","channel":"fleet"}', b"{", b"",
    b"\xff\xfe", b"[" * 5000, b'{"type":"%s"}' % (b"a" * 500), b"null",
]
TARGETS = [
    PATH, PATH + b"?token=x", b"/trips/a", b"/trips/a/events", b"/fleet", b"/drivers/d/locations", b"/trips", b"*",
    b"//", b"/%ff", b"/" + b"a" * 9000, b"http://x/",
]
FIELDS = [
    b"Authorization: Bearer " + TOKEN, b"Upgrade: websocket", b"Upgrade: h2c", b"Connection: Upgrade",
    b"Connection: close", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Version: 8", b"Sec-WebSocket-Key: bad",
    b"Content-Length: 5", b"Content-Length: 9223372036854775808", b"Transfer-Encoding: chunked",
    b"Expect: 100-continue", b"Content-Encoding: gzip", b"Last-Event-ID: x", b"X: " + b"a" * 70000,
]
BODIES = [b"", b"{}", b"2\r\n{}\r\n0\r\n\r\n", b"ffffffffffffffff\r\n", b"-1\r\n\r\n", b"zz\r\n", b"\x1f\x8b\x08"]


def handshake():
    """Returns a valid handshake."""
    key = base64.b64encode(RANDOM.randbytes(16))
    fields = [FIELDS[0], FIELDS[1], FIELDS[3], FIELDS[5], b"Sec-WebSocket-Key: " + key]
    return b"\r\n".join([b"GET " + PATH + b" HTTP/1.1", b"Host: x", *fields, b"", b""])


def request():
    """Returns a request of random parts, most of them invalid."""
    method = RANDOM.choice([b"GET", b"POST", b"PUT", b"HEAD", b"OPTIONS", b"PRI", b"CONNECT", b"X"])
    version = RANDOM.choice([b"1.1", b"1.1", b"1.0", b"2.0"])
    fields = RANDOM.sample(FIELDS, RANDOM.randrange(5))
    start = method + b" " + RANDOM.choice(TARGETS) + b" HTTP/" + version
    return b"\r\n".join([start, b"Host: x", *fields, b"", RANDOM.choice(BODIES)])


def frame():
    """Returns a frame, which may have reserved bits, no mask, an unknown opcode or a wrong length."""
    data = RANDOM.choice(MESSAGES + [RANDOM.randbytes(RANDOM.choice([2, 30, 125, 126]))])
    opcode = RANDOM.choice([1, 1, 1, 0, 2, 8, 9, 10, 3, 15])
    is_final, is_masked, is_reserved = RANDOM.random() < 0.8, RANDOM.random() < 0.9, RANDOM.random() < 0.05
    length = RANDOM.choice([1 << 16, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63]) if RANDOM.random() < 0.1 else len(data)
    first, mask = is_final << 7 | is_reserved << 6 | opcode, is_masked << 7
    if length < 126:
        head = struct.pack(">BB", first, mask | length)
    elif length < 1 << 16:
        head = struct.pack(">BBH", first, mask | 126, length)
    else:
        head = struct.pack(">BBQ", first, mask | 127, length)
    if not is_masked:
        return head + data
    key = RANDOM.randbytes(4)
    return head + key + bytes(byte ^ key[index % 4] for index, byte in enumerate(data))


def conversation():
    """Returns the bytes of one connection."""
    if RANDOM.random() < 0.1:
        return RANDOM.randbytes(RANDOM.randrange(1, 400))
    parts = [request() for _ in range(RANDOM.choice([0, 0, 0, 1, 2]))]
    if RANDOM.random() < 0.8:
        parts.append(handshake())
    return b"".join(parts + [frame() for _ in range(RANDOM.randrange(6))])


def send(data):
    """Sends bytes in random segments, and ends the connection orderly, by a reset, or after closing the output."""
    cuts = sorted(RANDOM.randrange(len(data) + 1) for _ in range(RANDOM.choice([0, 0, 1, 2, 5])))
    with socket.create_connection((HOST, PORT), DEADLINE_SECONDS) as connection:
        connection.settimeout(0.01)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start, end in zip([0, *cuts], [*cuts, len(data)]):
            connection.sendall(data[start:end])
            if RANDOM.random() < 0.3:
                with contextlib.suppress(TimeoutError):
                    connection.recv(1 << 16)
        ending = RANDOM.choice(["reset", "output", "orderly"])
        if ending == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif ending == "output":
            connection.shutdown(socket.SHUT_WR)


def metric(name):
    page = urllib.request.urlopen(METRICS, timeout=DEADLINE_SECONDS).read().decode()
    return float(re.search(f"^{re.escape(name)} (\\S+)$", page, re.MULTILINE)[1])


sent = b""
for number in range(CONNECTIONS):
    try:
        previous, sent = sent, conversation()
        send(sent)
    except ConnectionRefusedError:
        sys.exit(f"seed {SEED}: connection {number} was refused; the bytes before it were {previous[:2000]!r}")
    except OSError:
        pass  # The gateway may close the connection at any time.
deadline = time.monotonic() + DEADLINE_SECONDS
while metric("sightline_gateway_connections") > 0:
    if time.monotonic() > deadline:
        sys.exit(f"seed {SEED}: WebSockets are still open, though all clients have disconnected")
    time.sleep(0.2)
if not metric('sightline_gateway_closes_total{code="1002"}'):
    sys.exit(f"seed {SEED}: no WebSocket was opened")
if slow := metric('sightline_gateway_closes_total{code="4408"}'):
    sys.exit(f"seed {SEED}: {slow:.0f} WebSockets were kept until they were closed as slow readers")
print(f"seed {SEED}: {CONNECTIONS} connections")
