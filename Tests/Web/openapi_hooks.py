"""What schemathesis, which reads this file, has to know of the OpenAPI documents.

Its own date-times begin in the year 0, and it knows no polylines. A text of ours never has the character U+0000, also
not in members that are ignored, which no schema says.
"""

import datetime
import json

import schemathesis
from hypothesis import strategies

TIMES = strategies.datetimes(
    datetime.datetime(1971, 1, 1), datetime.datetime(9998, 12, 31),
    timezones=strategies.just(datetime.timezone.utc))

schemathesis.openapi.format("date-time", TIMES.map(lambda time: time.isoformat()))
schemathesis.openapi.format("polyline", strategies.sampled_from(["", "_p~iF~ps|U", "_p~iF~ps|U_ulLnnqC_mqNvxq`@"]))


@schemathesis.hook
def filter_body(_context, body):
    try:
        return "\\u0000" not in json.dumps(body)
    except (TypeError, ValueError):
        return True
