"""A minimal WebSocket for misbehaving clients: partial frames, floods, and no reading."""

import base64
import os
import socket


def handshake(address, path, token, receive_buffer=None):
    """Opens a connection, completes the handshake, and returns the socket."""
    host, port = address.rsplit(":", 1)
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(60)
    connection.connect((host, int(port)))
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall(
        (
            f"GET {path}?token={token} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
    )
    response = b""
    while b"\r\n\r\n" not in response:
        part = connection.recv(1)
        assert part, "no response to the handshake"
        response += part
    assert response.startswith(b"HTTP/1.1 101"), response
    return connection


def frame(opcode, data):
    """Returns a complete frame with a mask of zeros."""
    length = len(data)
    if length < 126:
        size = bytes([0x80 | length])
    elif length < 65536:
        size = bytes([0x80 | 126]) + length.to_bytes(2, "big")
    else:
        size = bytes([0x80 | 127]) + length.to_bytes(8, "big")
    return bytes([0x80 | opcode]) + size + bytes(4) + data


def send_pings(connection):
    """Sends 200,000 pings (26 MB) without reading, or until the gateway closes the connection."""
    pings = frame(9, bytes(125)) * 500
    try:
        for _ in range(400):
            connection.sendall(pings)
    except (BrokenPipeError, ConnectionResetError):
        pass


def is_closed(connection):
    """Returns whether the other side has closed the connection; discards received data."""
    connection.setblocking(False)
    try:
        while True:
            part = connection.recv(65536)
            if not part:
                return True
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        try:
            connection.settimeout(60)
        except OSError:
            pass
