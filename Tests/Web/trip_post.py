"""Sends an event of the trip service, or an array of them.

    trip_post.py ADDRESS TOKEN BODY    prints the answer's status, Retry-After and error code
"""

import sys

from driver_client import post_to

ADDRESS, TOKEN, BODY = sys.argv[1:]

status, headers, body = post_to(f"http://{ADDRESS}/trips", BODY.encode(), TOKEN)
print(status, headers["Retry-After"], body.get("error", {}).get("code"))
