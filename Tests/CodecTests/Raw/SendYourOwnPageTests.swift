import Foundation
import TestSupport
import Testing

@testable import Codec
@testable import Support

@Suite("docs/send-your-own.md")
struct SendYourOwnPageTests {
    /// Returns the page's JSON blocks, each with the driver id that is its key.
    private func blocks() throws -> [(text: String, driver: String)] {
        try Checkout.text("docs/send-your-own.md").components(separatedBy: "```json\n").dropFirst().map { part in
            let text = try #require(part.components(separatedBy: "```").first)
            let tree = try JSONTree(text)
            let payload = tree["payload"]
            let names = [tree["driver_id"], tree["driverId"], payload?["driver_id"], payload?["driverId"]]
            let drivers = names.compactMap { $0?.string }
            return (text, try #require(drivers.first))
        }
    }

    @Test("every JSON block is accepted by its topic's reader and by the JSON Schema")
    func blocksAreAccepted() throws {
        let rawSchema = try SchemaValidator(file: "driver.locations.raw.schema.json", isStrict: true)
        let tripSchema = try SchemaValidator(file: "trips.schema.json", isStrict: true)
        let (reader, trips) = (RawRecordReader(), TripReader())
        var counts = (raw: 0, trips: 0)
        for (text, driver) in try blocks() {
            let isTrip = text.contains("\"state\"") || text.contains("trip_status")
            if isTrip {
                counts.trips += 1
                let message = ByteSlice.withBytes(of: driver) { key in
                    ByteSlice.withBytes(of: text) { trips.read(key: key, value: $0).message }
                }
                #expect(message?.tripID == "tr_4e5f", "\(text)")
                #expect(try tripSchema.problems(of: text).isEmpty, "\(text)")
            } else {
                counts.raw += 1
                let reason = reader.read(text, key: driver).reason
                #expect(reason == nil && reader.unreadableCount == 0, "\(text)")
                #expect(try rawSchema.problems(of: text).isEmpty, "\(text)")
            }
        }
        #expect(counts.raw == 5 && counts.trips == 2)
    }

    @Test("the JSON Schema accepts an example message exactly if it is readable")
    func examplesAreValid() throws {
        let schemas = [
            "driver.locations.raw": try SchemaValidator(file: "driver.locations.raw.schema.json", isStrict: true),
            "trips": try SchemaValidator(file: "trips.schema.json", isStrict: true),
        ]
        for line in try Checkout.text("Examples/messages.jsonl").split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let schema = try #require(schemas[object["topic"] as? String ?? ""])
            let value = try JSONSerialization.data(withJSONObject: try #require(object["value"]))
            let problems = try schema.problems(of: String(decoding: value, as: UTF8.self))
            let isUnreadable = object["expect"] as? [String] == ["WRONG_TYPE"]
            #expect(problems.isEmpty != isUnreadable, "\(problems) in \(line)")
        }
    }
}
