import NIOCore
import Testing

@testable import Gateways

@Suite("Encoding of server-sent events")
struct EventStreamTextTests {
    private static func event(id: String? = nil, type: String? = nil, _ data: String) -> String {
        String(buffer: EventStreamText.event(id: id, type: type, ByteBuffer(string: data)))
    }

    @Test("writes id, type and data of an event, and an empty line")
    func event() {
        #expect(
            Self.event(id: "3-184467", type: "eta_update", #"{"a":1}"#)
                == "id: 3-184467\nevent: eta_update\ndata: {\"a\":1}\n\n")
        #expect(Self.event(#"{"a":1}"#) == "data: {\"a\":1}\n\n")
    }

    @Test("writes a data line for each line of the JSON, for all kinds of line breaks")
    func lines() {
        #expect(Self.event("{\n\"a\":1\r\n}\r") == "data: {\ndata: \"a\":1\ndata: }\n\n")
    }
}
