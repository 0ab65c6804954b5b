"""A test device of driver-gateway: one WebSocket, and requests."""

from protocol_test import fetch
from socket_client import SocketClient


class Device(SocketClient):
    def __init__(self, address, query, **headers):
        super().__init__(f"ws://{address}/drivers/realtime{query}", **headers)

    async def acknowledged(self, records):
        """Waits until `records` records are acknowledged; returns the last acknowledgement and all message ids."""
        ids = []
        while True:
            message = await self.next("ack", "error")
            assert message["type"] == "ack", message
            ids += message["message_ids"]
            if message["records"] >= records:
                return message, ids


def location(sequence, session="s1", **payload):
    """Returns a location message in the format of the ride-hailing app."""
    fix = {"latitude": 37.7751, "longitude": -122.4183, "accuracy_meters": 5.2, "speed_mps": 12.5}
    return {"type": "location", "session_id": session, "sequence": sequence, "payload": {**fix, **payload}}


def post(address, driver, body, token=None, query="", **headers):
    """Posts locations; returns status, headers and JSON of the response."""
    return fetch(f"http://{address}/drivers/{driver}/locations{query}", "POST", body, token, **headers)
