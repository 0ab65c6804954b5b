import Foundation
import Testing

@testable import ClientAudit
@testable import Domain
@testable import Recordings
@testable import Support

@Suite("The log of a client")
struct ReceivedLogTests {
    private static let subscribed =
        #"{"type":"subscribed","channel":"trip:a","replay_from":null,"cursor":["3-1","t3-2"]}"#

    private func read(_ lines: [String], end: String = "\n") throws -> ReceivedLog {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("client-\(UUID().uuidString).log")
        try Data((lines.joined(separator: "\n") + end).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try ReceivedLog(path: file.path)
    }

    /// Returns the error for a log, without its file path; empty if the log is valid.
    private func failure(_ lines: [String], end: String = "\n") -> String {
        do {
            _ = try read(lines, end: end)
            return ""
        } catch {
            return String("\(error)".drop { $0 != "," && $0 != " " })
        }
    }

    @Test("messages keep their line numbers, empty lines are skipped, and the last line needs no line break")
    func lines() throws {
        let event = ReceivedTraffic.text(EventID(partition: 3, offset: 2))
        for end in ["\n", "", "\n\n"] {
            let log = try read([#"{"type":"connected","connection":1}"#, "", Self.subscribed, event], end: end)
            #expect(log.entries.map(\.line) == [1, 3, 4] && log.connections == 1 && log.channels == ["trip:a"])
            #expect(
                log.entries.last?.message
                    == .event(
                        ReceivedEvent(
                            event: EventID(partition: 3, offset: 2), channel: "trip:a", value: Array(event.utf8))))
        }
        #expect(try read([Self.subscribed]).connections == 1, "a log without a `connected` message has one connection")
    }

    @Test("an invalid message is reported with file and line")
    func broken() throws {
        let event = ReceivedTraffic.text(EventID(partition: 3, offset: 2))
        for line in ["{", "word", "[1]", #"{"type":"subscribed""#, event + "x", #"{"type":7}"#] {
            let what = failure([Self.subscribed, line])
            #expect(what.hasPrefix(", line 2: not a message of a gateway"), "\(line): \(what)")
        }
        #expect(failure(["{}"]).hasPrefix(", line 1: the message has no type;"))
        let cut = failure([Self.subscribed, "{\"type\":\"eve"], end: "")
        #expect(cut.hasPrefix(", line 2: not a message of a gateway"))
        do {
            _ = try read(["{"])
        } catch {
            #expect("\(error)".contains("client-") && error is InputError)
        }
    }

    @Test("an incomplete message is reported with its line")
    func incomplete() {
        #expect(
            failure([#"{"type":"eta_update","event_id":"3:1","channel":"trip:a"}"#])
                == ", line 1: event_id 3:1 is not an event id, such as 3-184467.")
        #expect(failure([#"{"type":"eta_update","event_id":"3-1"}"#]) == ", line 1: the message has no channel.")
        #expect(
            failure([#"{"type":"subscribed","channel":"trip:a"}"#]).hasPrefix(", line 1: the message has no cursor;"))
        #expect(
            failure([#"{"type":"subscribed","channel":"trip:a","cursor":["x"]}"#])
                == ", line 1: x in a cursor is not an event id, such as 3-184467.")
        #expect(
            failure([#"{"type":"state_sync","channel":"trip:a","cursor":[],"missed_events":[{"type":"pong"}]}"#])
                == ", line 1: missed_events contains an element that is not an event.")
    }

    @Test("a log without messages or subscriptions is an error")
    func empty() {
        #expect(failure([]).hasSuffix(" is empty."))
        #expect(failure(["", ""]).hasSuffix(" is empty."))
        let fleet = #"{"type":"subscribed","channel":"fleet","snapshot":{"drivers":[]}}"#
        #expect(failure([#"{"type":"connected","connection":1}"#, fleet]).contains("nothing to compare"))
        #expect((try? ReceivedLog(path: "/nowhere/client.log")) == nil)
    }

    @Test("messages of other types are ignored")
    func others() throws {
        let others = [
            #"{"type":"welcome","message_id":1}"#, #"{"type":"pong"}"#,
            #"{"type":"error","code":"TRY_AGAIN","channel":"trip:a"}"#,
            #"{"type":"fleet_positions","drivers":[]}"#, #"{"type":"subscribed","channel":"fleet","snapshot":{}}"#,
        ]
        #expect(try read(others + [Self.subscribed]).entries.dropLast().allSatisfy { $0.message == .other })
    }

    @Test("full_refresh, or a snapshot without replay_from, marks a full snapshot")
    func fullSnapshot() throws {
        func answer(_ members: String) throws -> ReceivedAnswer? {
            let log = try read([#"{"channel":"trip:a","cursor":["3-1","t3-2"],\#(members)}"#])
            guard case .answer(let answer)? = log.entries.first?.message else { return nil }
            return answer
        }
        let watermark = Watermark(
            raw: EventID(partition: 3, offset: 1), trips: EventID(origin: .trips, partition: 3, offset: 2))
        let full = try #require(try answer(#""type":"subscribed","replay_from":null,"snapshot":{}"#))
        #expect(full == ReceivedAnswer(channel: "trip:a", cursor: [3: watermark], isFullSnapshot: true, isWhole: false))
        let resumed = try #require(try answer(#""type":"subscribed","replay_from":"3-0""#))
        #expect(!resumed.isFullSnapshot && resumed.replayFrom == [3: .init(raw: EventID(partition: 3, offset: 0))])
        let several = try #require(try answer(#""type":"subscribed","replay_from":["3-0","4-7"]"#))
        #expect(several.replayFrom?.keys.sorted() == [3, 4])
        #expect(try answer(#""type":"subscribed","replay_from":null"#)?.isFullSnapshot == false)
        #expect(try answer(#""type":"state_sync","full_refresh":true"#)?.isFullSnapshot == true)
        #expect(try answer(#""type":"state_sync","full_refresh":false,"snapshot":{}"#)?.isFullSnapshot == false)
    }

    @Test("missed events are returned unchanged")
    func missedEvents() throws {
        let events = [
            #"{"event_id":"3-2","channel":"trip:a","a":"]}\"," ,"b":[{}]}"#, #"{"channel":"trip:a","event_id":"3-3"}"#,
        ]
        for (array, expected) in [("[]", []), ("[ ]", []), ("null", []), ("[ \(events[0]) ,\(events[1])]", events)] {
            let log = try read([#"{"type":"state_sync","missed_events":\#(array),"channel":"trip:a","cursor":["3-1"]}"#]
            )
            guard case .answer(let answer)? = log.entries.first?.message else {
                Issue.record("\(array) is not read.")
                continue
            }
            #expect(answer.missed.map { String(decoding: $0.value, as: UTF8.self) } == expected)
        }
        let number = #"{"type":"state_sync","missed_events":[1],"channel":"trip:a","cursor":["3-1"]}"#
        #expect(failure([number]).contains("an element that is not an event"))
    }
}
