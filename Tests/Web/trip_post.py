"""Sends one or several events of the trip service.

    trip_post.py ADDRESS TOKEN BODY    prints the response's status, Retry-After and error code
"""

import sys

from protocol_test import fetch

ADDRESS, TOKEN, BODY = sys.argv[1:]

status, headers, body = fetch(f"http://{ADDRESS}/trips", "POST", BODY.encode(), TOKEN)
print(status, headers["Retry-After"], body.get("error", {}).get("code"))
