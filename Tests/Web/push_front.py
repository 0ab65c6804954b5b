"""HTTP/2 over TLS in front of a mock of the push services, which speaks HTTP/1.1.

    push_front.py CERTIFICATE KEY PORT    PORT: port of the mock on 127.0.0.1

Prints the port of 127.0.0.1 at which it listens. Forwards each request to the mock, with the header `x-http2: true`.
If the response has the header `x-mock-fault: close`, the client's connection is closed without a response. Connections
of clients that do not choose HTTP/2 are also closed. Exits when its parent process exits.
"""

import asyncio
import contextlib
import http.client
import os
import ssl
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

HOST = "127.0.0.1"
MAX_BODY_BYTES = 1 << 20
DEADLINE_SECONDS = 60
RETURNED_HEADERS = ("content-type", "retry-after")


def forward(port, headers, body):
    """Sends a request to the mock; returns the response and its body."""
    fields = dict(headers)
    connection = http.client.HTTPConnection(HOST, port, timeout=DEADLINE_SECONDS)
    with contextlib.closing(connection):
        connection.putrequest(fields[":method"], fields[":path"], skip_host=True, skip_accept_encoding=True)
        connection.putheader("host", fields[":authority"])
        for name, value in headers:
            if not name.startswith(":") and name not in ("host", "content-length"):
                connection.putheader(name, value)
        connection.putheader("content-length", str(len(body)))
        connection.putheader("x-http2", "true")
        connection.endheaders(body)
        response = connection.getresponse()
        return response, response.read()


class Connection:
    """A client's connection. Its requests are forwarded concurrently."""

    def __init__(self, mock_port, reader, writer):
        self.mock_port = mock_port
        self.reader = reader
        self.writer = writer
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        # Headers and body of each request that is being received, by stream.
        self.requests = {}

    async def run(self):
        """Serves the client until either side closes the connection."""
        self.http.initiate_connection()
        self.send()
        async with asyncio.TaskGroup() as tasks:
            with contextlib.suppress(ConnectionError):
                while data := await self.reader.read(1 << 16):
                    for event in self.http.receive_data(data):
                        self.handle(event, tasks)
                    self.send()

    def send(self):
        self.writer.write(self.http.data_to_send())

    def handle(self, event, tasks):
        match event:
            case h2.events.RequestReceived():
                self.requests[event.stream_id] = (event.headers, bytearray())
            case h2.events.DataReceived():
                self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                self.receive(event.stream_id, event.data)
            case h2.events.StreamEnded() if event.stream_id in self.requests:
                tasks.create_task(self.respond(event.stream_id, *self.requests.pop(event.stream_id)))
            case h2.events.StreamReset():
                self.requests.pop(event.stream_id, None)

    def receive(self, stream, data):
        if stream not in self.requests:
            return
        body = self.requests[stream][1]
        body += data
        if len(body) > MAX_BODY_BYTES:
            del self.requests[stream]
            self.http.reset_stream(stream, h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)

    async def respond(self, stream, headers, body):
        """Forwards a request, and sends the response, whose body must fit into a frame (16 KiB)."""
        response, content = await asyncio.to_thread(forward, self.mock_port, headers, bytes(body))
        if response.getheader("x-mock-fault") == "close":
            self.writer.transport.abort()
            return
        returned = [(name, response.getheader(name)) for name in RETURNED_HEADERS if response.getheader(name)]
        # Fails if the client no longer waits for the response.
        with contextlib.suppress(h2.exceptions.ProtocolError):
            self.http.send_headers(stream, [(":status", str(response.status)), *returned])
            self.http.send_data(stream, content, end_stream=True)
            self.send()


async def parent_ended():
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(1)


async def main(certificate, key, mock_port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])

    async def serve(reader, writer):
        with contextlib.closing(writer):
            if writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
                await Connection(mock_port, reader, writer).run()

    async with await asyncio.start_server(serve, HOST, 0, ssl=context) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await parent_ended()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
