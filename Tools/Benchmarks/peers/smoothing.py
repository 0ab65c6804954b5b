"""Work of each peer per location: a speed check and a constant-velocity Kalman filter with state per driver."""

import math
from datetime import datetime

FASTEST_METERS_PER_SECOND = 70.0
METERS_PER_DEGREE = 111_320.0
ACCELERATION_VARIANCE = 1.0


def advance(state, fix):
    """Returns the driver's state after `fix`, a decoded raw record, and the record to publish.

    The state is a list, so that any framework can store it: time, origin and last accepted fix in degrees, position and
    velocity east and north of the origin, and the covariance that both axes share.
    """
    device = fix["payload"]
    latitude, longitude = device["latitude"], device["longitude"]
    time = datetime.fromisoformat(device["timestamp"]).timestamp()
    noise = device.get("accuracy_meters", 10.0) ** 2
    if state is None:
        after = [time, latitude, longitude, latitude, longitude, 0.0, 0.0, 0.0, 0.0, noise, 0.0, 100.0]
        return after, verdict(fix, "accepted", after)
    then, latitude0, longitude0, last_latitude, last_longitude, east, north, v_east, v_north, p, c, v = state
    seconds = max(time - then, 0.001)
    per_degree_east = METERS_PER_DEGREE * math.cos(math.radians(latitude0))
    travelled = math.hypot(
        (longitude - last_longitude) * per_degree_east, (latitude - last_latitude) * METERS_PER_DEGREE)
    if travelled / seconds > FASTEST_METERS_PER_SECOND:
        return state, verdict(fix, "rejected", state)

    p += seconds * (2 * c + seconds * v) + ACCELERATION_VARIANCE * seconds**4 / 4
    c += seconds * v + ACCELERATION_VARIANCE * seconds**3 / 2
    v += ACCELERATION_VARIANCE * seconds**2
    gain, gain_velocity = p / (p + noise), c / (p + noise)
    east += seconds * v_east
    north += seconds * v_north
    off_east = (longitude - longitude0) * per_degree_east - east
    off_north = (latitude - latitude0) * METERS_PER_DEGREE - north
    after = [
        time, latitude0, longitude0, latitude, longitude,
        east + gain * off_east, north + gain * off_north,
        v_east + gain_velocity * off_east, v_north + gain_velocity * off_north,
        (1 - gain) * p, (1 - gain) * c, v - gain_velocity * c,
    ]
    return after, verdict(fix, "accepted", after)


def verdict(fix, status, state):
    _, latitude0, longitude0, _, _, east, north, v_east, v_north, p, _, _ = state
    return {
        "driver_id": fix["driver_id"],
        "sequence": fix.get("sequence"),
        "verdict": status,
        "latitude": latitude0 + north / METERS_PER_DEGREE,
        "longitude": longitude0 + east / (METERS_PER_DEGREE * math.cos(math.radians(latitude0))),
        "speed_mps": math.hypot(v_east, v_north),
        "accuracy_meters": math.sqrt(p),
        "raw": fix["payload"],
    }
