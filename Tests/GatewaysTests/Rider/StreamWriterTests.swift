import NIOCore
import NIOEmbedded
import Testing

@testable import Gateways
@testable import Runtime

@Suite("The buffer of an event stream")
struct StreamWriterTests {
    private struct Stream {
        let channel = EmbeddedChannel()
        let body: StreamWriter.Body
        let writer: StreamWriter

        init() throws {
            let connection = QuiesceHandler(ConnectionTable(limit: 1))
            try channel.pipeline.syncOperations.addHandler(connection)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            (body, writer) = StreamWriter.make(StreamBodyDelegate(channel.embeddedEventLoop), connection)
        }

        func write(_ bytes: Int) { writer.write(ByteBuffer(repeating: UInt8(ascii: "x"), count: bytes)) }
    }

    @Test("the buffer is full at the maximum number of pending bytes, until the client reads")
    func bounded() throws {
        let stream = try Stream()
        stream.write(10)
        stream.writer.flush()
        stream.write(StreamWriter.maximumPendingBytes - 1)
        #expect(stream.writer.isWritable)
        stream.write(1)
        #expect(!stream.writer.isWritable)
        stream.writer.flush()
        #expect(!stream.writer.isWritable, "the client has not read the first ten bytes")
        stream.writer.resume()
        #expect(stream.writer.isWritable)
        _ = try stream.channel.finish()
    }

    @Test("the connection is closed five seconds after the end of the stream")
    func closesConnection() throws {
        let stream = try Stream()
        stream.write(10)
        stream.writer.flush()
        stream.writer.close(.slowReader)
        stream.channel.embeddedEventLoop.advanceTime(by: .milliseconds(4999))
        #expect(stream.channel.isActive)
        stream.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!stream.channel.isActive)
        _ = try? stream.channel.finish()
    }
}

@Suite("Encoding of server-sent events")
struct EventStreamTextTests {
    private static func event(id: String? = nil, type: String? = nil, _ data: String) -> String {
        String(buffer: EventStreamText.event(id: id, type: type, ByteBuffer(string: data)))
    }

    @Test("an event is encoded as id, type, data and an empty line")
    func event() {
        #expect(
            Self.event(id: "3-184467", type: "eta_update", #"{"a":1}"#)
                == "id: 3-184467\nevent: eta_update\ndata: {\"a\":1}\n\n")
        #expect(Self.event(#"{"a":1}"#) == "data: {\"a\":1}\n\n")
    }

    @Test("each line of the JSON becomes a data line, for all kinds of line breaks")
    func lines() {
        #expect(Self.event("{\n\"a\":1\r\n}\r") == "data: {\ndata: \"a\":1\ndata: }\n\n")
    }
}
