import Foundation
import TestSupport
import Testing

@Suite("Client log")
struct ClientLogTests {
    private let first = """
        {"type": "connected", "connection": 1}
        {"type":"subscribed","channel":"trip:a"}
        {"type":"eta_update","channel":"trip:a","event_id":"0-1"}
        {"type":"driver_location","channel":"trip:a","event_id":"0-2"}

        """

    private func withLog(_ text: String, _ body: (ClientLog) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("client-\(UUID().uuidString).log")
        let log = ClientLog(file)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(log)
    }

    @Test("events, events of a type, and connections are counted")
    func counts() throws {
        try withLog(first) { log in
            #expect(log.eventCount == 2 && log.connectionCount == 1)
            #expect(log.eventCount(of: "eta_update") == 1 && log.eventCount(of: "trip_state_changed") == 0)
            #expect(log.count("trip:a") == 3)
        }
    }

    @Test("events of the last connection are counted separately")
    func lastConnection() throws {
        try withLog(first) { log in
            #expect(log.hasEventInLastConnection)
            #expect(log.eventCountInLastConnection(of: "driver_location") == 1)
        }
        try withLog(first + #"{"type": "connected", "connection": 2}"# + "\n") { log in
            #expect(log.connectionCount == 2 && !log.hasEventInLastConnection)
            #expect(log.eventCount == 2 && log.eventCountInLastConnection(of: "driver_location") == 0)
        }
    }

    @Test("a copy contains only complete lines")
    func copy() throws {
        try withLog(first + #"{"type":"eta_upd"#) { log in
            let copy = try log.copy()
            defer { try? FileManager.default.removeItem(at: copy) }
            #expect(try String(contentsOf: copy, encoding: .utf8) == first)
        }
        try withLog(#"{"type":"#) { log in
            let copy = try log.copy()
            defer { try? FileManager.default.removeItem(at: copy) }
            #expect(try Data(contentsOf: copy).isEmpty)
        }
    }

    @Test("a missing file counts as empty")
    func absent() {
        let log = ClientLog(URL(fileURLWithPath: "/nowhere/client.log"))
        #expect(log.eventCount == 0 && log.connectionCount == 0 && !log.hasEventInLastConnection)
    }
}
