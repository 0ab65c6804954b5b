import Foundation
import TestSupport
import Testing

@testable import Codec
@testable import Support

@Suite("Accepted spellings")
struct SpellingTests {
    private let reader = RawRecordReader()

    @Test("every row of the table is read as it says, and the JSON Schema knows it", arguments: Spelling.all)
    func row(spelling: Spelling) throws {
        let validator = try SchemaValidator(file: "driver.locations.raw.schema.json", isStrict: true)
        for record in spelling.records {
            guard case .fixes(let isBatch) = reader.read(record), let raw = reader.fixes.first else {
                Issue.record("refused: \(record)")
                continue
            }
            #expect(raw.unreadable == nil, "\(record)")
            #expect(Spelling.reading(of: spelling.member, in: raw, isBatch: isBatch) == spelling.meaning, "\(record)")
            let problems = try validator.problems(of: record)
            #expect(problems.isEmpty, "\(problems) in \(record)")
        }
    }

    @Test("docs/messages.md holds the table as it is")
    func documentation() throws {
        let section = GeneratedSection(file: "docs/messages.md", name: "spellings")
        var table = "| member | sent as | for example | read as |\n|---|---|---|---|\n"
        for row in Spelling.all {
            let path = row.path.isEmpty ? "left out" : "`\(row.path)`"
            let example = row.example.isEmpty ? "" : "`\(row.example)`"
            table += "| \(row.member) | \(path) | \(example) | \(row.meaning) |\n"
        }
        try section.writeIfAsked(table)
        #expect(try section.read() == table, GeneratedSection.advice)
    }

    @Test("the names that dead letters list are those of the table, for every member")
    func names() {
        let members = AcceptedNames.rawLocations.members
        #expect(Set(members.map(\.name)) == Set(Spelling.all.map(\.member)))
        for member in members {
            let rows = Spelling.all.filter { $0.member == member.name && !$0.path.isEmpty }.map(\.path)
            #expect(Set(rows) == Set(member.spellings), "\(member.name)")
            #expect(Set(member.spellings).count == member.spellings.count, "\(member.name)")
        }
    }

    @Test(
        "names that are not in the table are read over", arguments: ["latt", "Latitude", "lon", "LAT", "lat_lng.lat"]
    )
    func unknownNames(path: String) {
        let record = Spelling("latitude", path, "1", "").records[0]
        #expect(reader.read(record).reason == .missingField)
        #expect(reader.read(record).detail == "latitude")
    }

    @Test("a driver in camel case is checked against the key as well")
    func driver() {
        let result = reader.read(RawSamples.good("\"driverId\":\"drv_18\""))
        #expect(result.reason == .keyMismatch)
        #expect(result.detail == "driverId")
    }

    @Test("the iOS app's message, the Android app's stored record and the rideshare record are the same fix")
    func dialects() throws {
        let rideshare = try #require(reader.single(RawSamples.rideshare))
        let hash = rideshare.fix.contentHash
        let envelope = try #require(reader.single(RawSamples.envelope))
        #expect(envelope.fix.contentHash == hash)
        #expect(envelope.fix.isOnTrip && envelope.tripID == "tr_4e5f" && envelope.fix.identityHash != 0)
        let stored = try #require(reader.single(RawSamples.stored))
        #expect(stored.fix.contentHash == hash)
        #expect(stored.fix.source == .cached && stored.fix.identityHash != 0 && stored.fix.sequence == nil)
    }

    @Test("the payload's time is that of the fix, and the envelope's is not, whichever comes first")
    func envelopeTime() {
        let fix = "\"latitude\":1,\"longitude\":2,\"timestamp\":1741977135123"
        for record in [
            "{\"type\":\"location_update\",\"timestamp\":1741980000000,\"payload\":{\(fix)}}",
            "{\"type\":\"location_update\",\"payload\":{\(fix)},\"timestamp\":1741980000000}",
            "{\"payload\":{\"latitude\":1,\"longitude\":2},\"timestamp\":1741977135123}",
            RawSamples.batch(["{\"timestamp\":1741980000000,\"payload\":{\(fix)},\"timestamp\":1741980000001}"]),
        ] {
            _ = reader.read(record)
            #expect(reader.fixes.map(\.fix.deviceAt) == [Timestamp(milliseconds: 1_741_977_135_123)], "\(record)")
        }
    }

    @Test("a record's own id counts before that of its message, whichever comes first")
    func identities() {
        func hash(_ members: String) -> UInt64? { reader.single(RawSamples.good(members))?.fix.identityHash }
        let own = hash("\"id\":\"a\"")
        #expect(hash("\"id\":\"a\",\"messageId\":\"b\"") == own)
        #expect(hash("\"messageId\":\"b\",\"id\":\"a\"") == own)
        #expect(hash("\"messageId\":\"a\"") == own)
        #expect(hash("\"messageId\":\"b\"") != own)
        #expect(hash("\"id\":\"\"") == 0 && hash("\"id\":null") == 0 && hash("\"id\":{\"a\":[1]}") == 0)
        // The batch's message is no identity of its fixes.
        _ = reader.read("{\"messageId\":\"b\",\"locations\":[{\"lat\":1,\"lng\":2,\"sequence\":1}]}")
        #expect(reader.fixes.map(\.fix.identityHash) == [0])
    }

    @Test("an array of locations is a batch under every type of a location, and not beside a position")
    func batches() {
        let list = "\"locations\":[\(RawSamples.stored),\(RawSamples.envelope)]"
        for record in ["{\(list)}", "{\"type\":\"location\",\(list)}", "{\"payload\":{\(list),\"tripId\":\"t9\"}}"] {
            guard case .fixes(isBatch: true) = reader.read(record) else {
                Issue.record("no batch: \(record)")
                continue
            }
            #expect(reader.fixes.map(\.unreadable) == [nil, nil])
        }
        #expect(reader.fixes.map(\.tripID.string) == ["t9", "tr_4e5f"])
        #expect(reader.single(RawSamples.good(list)) != nil)
    }
}

@Suite("Messages that are no locations")
struct MisplacedMessageTests {
    private let reader = RawRecordReader()

    @Test("a driver's trip status says that it belongs in the topic trips", arguments: ["trip_status", "TRIP_STATUS"])
    func tripStatus(type: String) {
        let status = "{\"type\":\"\(type)\",\"payload\":{\"tripId\":\"t\",\"status\":\"accepted\",\"timestamp\":1}}"
        let result = reader.read(status)
        #expect(result.reason == .wrongTopic)
        #expect(result.detail == "type")
        #expect("\(DeadLetterReason.wrongTopic.sentence)".contains("topic trips"))
        _ = reader.read(RawSamples.batch([RawSamples.good(), status]))
        #expect(reader.fixes.map(\.unreadable) == [nil, .wrongTopic])
    }

    @Test(
        "messages between app and gateway say so",
        arguments: [
            "ping", "PONG", "subscribe", "unsubscribe", "reconnect", "driver_location", "trip_update", "eta_update",
            "notification", "error",
        ])
    func socket(type: String) {
        #expect(reader.read("{\"type\":\"\(type)\",\"timestamp\":1}").reason == .socketMessage)
        #expect(reader.read("{\"type\":\"\(type)s\"}").reason == .unknownType)
    }

    @Test("what is missing comes with the names that are accepted, and the names of the record that are not known")
    func note() {
        func note(_ record: String, missing field: String) -> String {
            ByteSlice.withBytes(of: record) { AcceptedNames.rawLocations.note(missing: field, in: $0) }
        }
        let record = #"{"type":"location","payload":{"latt":1,"lon" : 2,"note":"lat\": \"x","timestamp":1,"latt":3}}"#
        #expect(
            note(record, missing: "latitude")
                == "; accepted names: latitude, lat, coordinate.latitude, coordinate.lat, latLng.latitude, latLng.lat"
                + "; names of the record that are not known: latt, lon, note")
        #expect(note(record, missing: "timestamp").hasPrefix("; accepted names: timestamp; names"))
        #expect(note("{\"lat\":1}", missing: "timestamp") == "; accepted names: timestamp")
        #expect(note(record, missing: "payload") == "")
    }

    @Test("at most five unknown names are listed, and none that is long or not plain")
    func noteBounds() {
        let names = (0..<9).map { "\"n\($0)\":1" } + ["\"\(String(repeating: "x", count: 41))\":1"]
        let record = "{\"a b\":1,\"é\":1,\"x\\n\":1,\(names.joined(separator: ","))}"
        let note = ByteSlice.withBytes(of: record) { AcceptedNames.rawLocations.note(missing: "latitude", in: $0) }
        #expect(note.hasSuffix("not known: n0, n1, n2, n3, n4"))
        // Whatever is not closed is read to its end at most.
        for broken in ["\"", "{\"a", "{\"a\\", "{\"a\"", "{\"a\":"] {
            _ = ByteSlice.withBytes(of: broken) { AcceptedNames.rawLocations.note(missing: "latitude", in: $0) }
        }
    }
}
