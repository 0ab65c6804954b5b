"""A test client of rider-gateway: one WebSocket, requests, and short-lived tokens.

The scripts that use this module are called with HOST PORT TOKENS LOG; TOKENS: JSON with tokens by name and their
signing secret; LOG: receives the gateway's messages, one per line (GatewayProtocolTests.swift).
"""

import base64
import hashlib
import hmac
import json
import sys
import time

from protocol_test import fetch
from socket_client import SocketClient

HOST, PORT = sys.argv[1], int(sys.argv[2])
TOKENS = json.loads(sys.argv[3])
LOG = open(sys.argv[4], "a")
# Seconds for which a gateway accepts a token after its expiry.
LEEWAY_SECONDS = 30


class Client(SocketClient):
    log = LOG

    def __init__(self, token="rider", query=None):
        query = f"?token={TOKENS.get(token, token)}" if query is None else query
        super().__init__(f"ws://{HOST}:{PORT}/realtime{query}")


def request(path, token="rider", **headers):
    """Returns status, headers and JSON of a response."""
    return fetch(f"http://{HOST}:{PORT}{path}", token=token and TOKENS[token], **headers)


def brief_token(seconds):
    """Returns a token of the rider that the gateway accepts for `seconds` from now on."""
    header, claims, _ = TOKENS["rider"].split(".")
    content = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    content["exp"] = int(time.time()) - LEEWAY_SECONDS + seconds

    def encoded(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    signed = f"{header}.{encoded(json.dumps(content).encode())}"
    signature = hmac.digest(TOKENS["secret"].encode(), signed.encode(), hashlib.sha256)
    return f"{signed}.{encoded(signature)}"
