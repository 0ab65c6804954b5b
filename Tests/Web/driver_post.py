"""Sends one location over HTTP.

    driver_post.py ADDRESS DRIVER TOKEN    prints the response's status, Retry-After and error code
"""

import sys

from driver_client import location, post

ADDRESS, DRIVER, TOKEN = sys.argv[1:]

status, headers, body = post(ADDRESS, DRIVER, location(1), TOKEN)
print(status, headers["Retry-After"], body.get("error", {}).get("code"))
