import Foundation
import Testing

@testable import Domain
@testable import SightlineCLI

@Suite("The phone of the demo's rider")
struct DemoPhoneTests {
    private func phone(_ log: String) throws -> (phone: DemoPhone, file: URL) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("push-\(UUID().uuidString).log")
        try Data(log.utf8).write(to: file)
        return (DemoPhone(tripID: "tr_1", log: file.path), file)
    }

    private func line(_ event: String, _ title: String?, trip: String = "tr_1") -> String {
        let aps = title.map { #"{"alert":{"body":"Text.","title":"\#($0)"},"sound":"default"}"# }
        let body =
            #"{"aps":\#(aps ?? #"{"content-available":1}"#),"event_id":"\#(event)","event_type":"x","trip_id":"\#(trip)"}"#
        return #"{"body":\#(body),"headers":{"apns-collapse-id":"\#(event)"},"url":"https://localhost/3/device/0a"}"#
    }

    @Test("the phone shows each notification of its trip once, in order, and no background notifications")
    func shown() throws {
        let log = [
            #"{"level":"info","message":"Dry run: notifications are written to standard output."}"#,
            line("1-1", "Accepted"), line("1-2", nil), line("1-3", "Of another", trip: "tr_12"), line("1-4", "Arrived"),
            line("1-1", "Accepted"), #"{"body":{"trip_id":"tr_1""#,
        ].joined(separator: "\n")
        let (phone, file) = try phone(log)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(phone.shown.map(\.title) == ["Accepted", "Arrived"])
        #expect(phone.shown.allSatisfy { $0.body == "Text." })
    }

    @Test("the phone shows no notification without a log")
    func noLog() {
        #expect(DemoPhone(tripID: "tr_1", log: "/nowhere/push.log").shown.isEmpty)
    }

    @Test("the phone is not registered if no gateway responds")
    func noGateway() throws {
        let gateway = HTTPEndpoint(host: "127.0.0.1", port: 1)
        #expect(DemoPhone(trip: "tr_1", map: gateway, log: "/nowhere/push.log") == nil)
    }

    @Test("each state of a ride after the request adds a notification")
    func expected() {
        let states: [TripState] = [.requested, .accepted, .arrived, .inProgress, .completed]
        #expect(states.map(DemoPhone.expected) == [0, 1, 2, 3, 4])
    }
}
