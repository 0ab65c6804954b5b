import Foundation
import TestSupport
import Testing

@testable import Codec
@testable import Support

@Suite("Accepted spellings")
struct SpellingTests {
    private let reader = RawRecordReader()

    @Test("every row of the table is read as documented and accepted by the JSON Schema", arguments: Spelling.all)
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

    @Test("docs/messages.md contains the current table")
    func documentation() throws {
        let section = GeneratedSection(file: "docs/messages.md", name: "spellings")
        var table = "| member | sent as | for example | read as |\n|---|---|---|---|\n"
        for row in Spelling.all {
            let path = row.path.isEmpty ? "left out" : "`\(row.path)`"
            let example = row.example.isEmpty ? "" : "`\(row.example)`"
            table += "| \(row.member) | \(path) | \(example) | \(row.meaning) |\n"
        }
        try section.writeIfRequested(table)
        #expect(try section.read() == table, GeneratedSection.advice)
    }

    @Test("dead letters list the accepted names of the table")
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
        "names outside the table are ignored", arguments: ["latt", "Latitude", "lon", "LAT", "lat_lng.lat"]
    )
    func unknownNames(path: String) {
        let record = Spelling("latitude", path, "1", "").records[0]
        #expect(reader.read(record).reason == .missingField)
        #expect(reader.read(record).detail == "latitude")
    }

    @Test("a driver id in camel case is compared with the key")
    func driver() {
        let result = reader.read(RawSamples.good("\"driverId\":\"drv_18\""))
        #expect(result.reason == .keyMismatch)
        #expect(result.detail == "driverId")
    }

    @Test("the same fix in the iOS, Android and rideshare formats has the same content hash")
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

    @Test("the payload's time has precedence over the envelope's, in either order")
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

    @Test("a record's id has precedence over its message id, in either order")
    func identities() {
        func hash(_ members: String) -> UInt64? { reader.single(RawSamples.good(members))?.fix.identityHash }
        let own = hash("\"id\":\"a\"")
        #expect(hash("\"id\":\"a\",\"messageId\":\"b\"") == own)
        #expect(hash("\"messageId\":\"b\",\"id\":\"a\"") == own)
        #expect(hash("\"messageId\":\"a\"") == own)
        #expect(hash("\"messageId\":\"b\"") != own)
        #expect(hash("\"id\":\"\"") == 0 && hash("\"id\":null") == 0 && hash("\"id\":{\"a\":[1]}") == 0)
        // The batch's message id does not identify its fixes.
        _ = reader.read("{\"messageId\":\"b\",\"locations\":[{\"lat\":1,\"lng\":2,\"sequence\":1}]}")
        #expect(reader.fixes.map(\.fix.identityHash) == [0])
    }

    @Test("an array of locations is a batch under any location type, unless the record has a position")
    func batches() {
        let list = "\"locations\":[\(RawSamples.stored),\(RawSamples.envelope)]"
        for record in ["{\(list)}", "{\"type\":\"location\",\(list)}", "{\"payload\":{\(list),\"tripId\":\"t9\"}}"] {
            guard case .fixes(isBatch: true) = reader.read(record) else {
                Issue.record("not a batch: \(record)")
                continue
            }
            #expect(reader.fixes.map(\.unreadable) == [nil, nil])
        }
        #expect(reader.fixes.map(\.tripID.string) == ["t9", "tr_4e5f"])
        #expect(reader.single(RawSamples.good(list)) != nil)
    }
}

@Suite("Messages other than locations")
struct MisplacedMessageTests {
    private let reader = RawRecordReader()

    @Test("a driver's trip status is refused with its topic", arguments: ["trip_status", "TRIP_STATUS"])
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
        "messages between app and gateway are refused as socket messages",
        arguments: [
            "ping", "PONG", "subscribe", "unsubscribe", "reconnect", "driver_location", "trip_update", "eta_update",
            "notification", "error",
        ])
    func socket(type: String) {
        #expect(reader.read("{\"type\":\"\(type)\",\"timestamp\":1}").reason == .socketMessage)
        #expect(reader.read("{\"type\":\"\(type)s\"}").reason == .unknownType)
    }

    @Test("a missing field is reported with its accepted names and the record's unknown names")
    func missingFieldHint() {
        func hint(_ record: String, missing field: String) -> String {
            ByteSlice.withBytes(of: record) { AcceptedNames.rawLocations.hint(missing: field, in: $0) }
        }
        let record = #"{"type":"location","payload":{"latt":1,"lon" : 2,"note":"lat\": \"x","timestamp":1,"latt":3}}"#
        #expect(
            hint(record, missing: "latitude")
                == "; accepted names: latitude, lat, coordinate.latitude, coordinate.lat, latLng.latitude, latLng.lat"
                + "; unknown names in the record: latt, lon, note")
        #expect(hint(record, missing: "timestamp").hasPrefix("; accepted names: timestamp; unknown names"))
        #expect(hint("{\"lat\":1}", missing: "timestamp") == "; accepted names: timestamp")
        #expect(hint(record, missing: "payload") == "")
    }

    @Test("at most five unknown names are listed, all of them short identifiers")
    func hintBounds() {
        let names = (0..<9).map { "\"n\($0)\":1" } + ["\"\(String(repeating: "x", count: 41))\":1"]
        let record = "{\"a b\":1,\"é\":1,\"x\\n\":1,\(names.joined(separator: ","))}"
        let hint = ByteSlice.withBytes(of: record) { AcceptedNames.rawLocations.hint(missing: "latitude", in: $0) }
        #expect(hint.hasSuffix("unknown names in the record: n0, n1, n2, n3, n4"))
        // Unclosed strings are read up to the end of the text.
        for broken in ["\"", "{\"a", "{\"a\\", "{\"a\"", "{\"a\":"] {
            _ = ByteSlice.withBytes(of: broken) { AcceptedNames.rawLocations.hint(missing: "latitude", in: $0) }
        }
    }
}
