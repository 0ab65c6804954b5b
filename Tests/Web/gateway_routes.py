"""Requests every route that rider-gateway serves from Redis, and prints each status.

    gateway_routes.py ADDRESS TOKEN ROUNDS    ROUNDS: number of requests for each route
"""

import json
import sys
import urllib.error
import urllib.request

from protocol_test import DEADLINE_SECONDS

ADDRESS, TOKEN, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
DEVICE = {"platform": "apns", "token": "0a0b", "language": "de"}
ROUTES = [
    ("GET", "/trips/t", None),
    ("GET", "/trips/t/etas", None),
    ("GET", "/trips/t/events", None),
    ("GET", "/trips/t/stream", None),
    ("GET", "/routes/r/vehicles", None),
    ("GET", "/stops/s/arrivals?route=r", None),
    ("GET", "/drivers/near?lat=37.775&lon=-122.418", None),
    ("GET", "/fleet", None),
    ("GET", "/drivers/d/trail", None),
    ("PUT", "/trips/t/devices", DEVICE),
    ("DELETE", "/trips/t/devices", DEVICE),
]


def status(method, path, body):
    data = json.dumps(body).encode() if body else None
    headers = {"Authorization": f"Bearer {TOKEN}"}
    request = urllib.request.Request(f"http://{ADDRESS}{path}", data=data, headers=headers, method=method)
    try:
        # The body is not read, because a stream does not end.
        with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


for _ in range(ROUNDS):
    for method, path, body in ROUTES:
        print(method, path, status(method, path, body))
