import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Trip ETAs")
struct TripEtaTests {
    private let reader = TripEtaReader()

    private func write(_ eta: TripEta, event: EventID = EventID(partition: 3, offset: 7)) -> String {
        written { TripEtaWriter.write(event: event, eta: eta, into: &$0) }
    }

    private func read(_ text: String, into eta: inout TripEta) -> EventID? {
        ByteSlice.withBytes(of: text) { reader.read($0, into: &eta) }
    }

    private var anyEta: TripEta {
        TripEta(tripID: "t", driverID: "d", state: .requested, computedAt: Timestamp(milliseconds: 0))
    }

    @Test("a record is written in the wire format, beginning with its event id")
    func golden() {
        var eta = TripEta(
            tripID: "tr_4e5f", driverID: "drv_17", state: .accepted,
            computedAt: Timestamp(milliseconds: 1_741_977_135_123))
        eta.position = TripEta.Position(
            coordinate: Coordinate(latitude: 37.7751, longitude: -122.4183), headingDegrees: 44.6,
            speedMetersPerSecond: 12.3,
            accuracyMeters: 3.9, fixedAt: Timestamp(milliseconds: 1_741_977_135_000))
        eta.progressMeters = 1840
        eta.offRouteMeters = 3.1
        eta.traffic = .moderate
        eta.nextStopID = "pickup"
        eta.lastStopID = "dropoff"
        var stop = TripEta.Stop(id: "pickup", kind: .pickup, status: .valid, delay: .onTime)
        stop.seconds = 145
        stop.minSeconds = 120
        stop.maxSeconds = 185
        stop.confidence = .high
        stop.distanceMeters = 1210
        stop.arrivesAt = Timestamp(milliseconds: 1_741_977_280_123)
        stop.delaySeconds = 35
        eta.stops = [stop]
        #expect(
            write(eta) == """
                {"event_id":"3-7","trip_id":"tr_4e5f","driver_id":"drv_17","kind":"ride","state":"ACCEPTED",\
                "computed_at":"2025-03-14T18:32:15.123Z","position":{"latitude":37.7751,"longitude":-122.4183,\
                "heading":44.6,"speed_mps":12.3,"accuracy_meters":3.9,"fixed_at":"2025-03-14T18:32:15.000Z"},\
                "progress_meters":1840,"off_route":false,"off_route_meters":3.1,"is_halted":false,"is_stale":false,\
                "traffic_conditions":"MODERATE","next_stop_id":"pickup","last_stop_id":"dropoff","stops":[{"stop_id":\
                "pickup","kind":"PICKUP","status":"VALID","seconds":145,"min_seconds":120,"max_seconds":185,\
                "confidence":"HIGH","distance_meters":1210,"arrives_at":"2025-03-14T18:34:40.123Z","delay_seconds":35,\
                "delay":"ON_TIME"}]}
                """)
    }

    @Test("any record is read back exactly, whatever was read before", arguments: [UInt64(61)])
    func roundTrip(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var read = anyEta
        for number in 0..<2000 {
            let eta = TripSamples.eta(&generator)
            let event = EventID(origin: .trips, partition: 3, offset: Int64(number)).withMessage(1)
            let text = write(eta, event: event)
            #expect(self.read(text, into: &read) == event, "seed \(seed): \(text)")
            #expect(read == eta, "seed \(seed): \(text)")
        }
    }

    @Test("damaged records do not crash the reader, and at least one per byte is unreadable")
    func damage() {
        var generator = SeededGenerator(seed: 67)
        var eta = TripSamples.eta(&generator)
        eta.stops = [TripSamples.stop(&generator)]
        let text = write(eta)
        var read = anyEta
        var unreadable = 0
        forEachDamage(of: text) { if reader.read($0, into: &read) == nil { unreadable += 1 } }
        #expect(unreadable >= text.utf8.count)
    }

    /// Reads a record with the generic reader, which a leading space selects.
    private func readGeneric(_ record: ByteSlice, into eta: inout TripEta) -> EventID? {
        ([UInt8(ascii: " ")] + Array(record.buffer)).withUnsafeBytes { reader.read(ByteSlice($0), into: &eta) }
    }

    /// Returns a trip ETA without values that require the generic reader, like nearly all ETAs.
    private func canonicalEta(_ generator: inout SeededGenerator) -> TripEta {
        var eta = TripSamples.eta(&generator)
        eta.version = generator.maybe { .random(in: -99...999_999_999_999_999, using: &$0) }
        eta.change = nil
        eta.fareChecks = []
        for id in [
            \TripEta.riderID, \.vehicleNumber, \.detectedArrivalStopID, \.nextStopID, \.passedStopID, \.lastStopID,
        ] {
            eta[keyPath: id] = generator.maybe { $0.identifier() }
        }
        for index in eta.stops.indices { eta.stops[index].id = generator.identifier() }
        return eta
    }

    @Test("a change is detected without parsing, and not in typical records without a change", arguments: [UInt64(79)])
    func changeWithoutParsing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var eta = canonicalEta(&generator)
            let without = write(eta)
            #expect(!ByteSlice.withBytes(of: without, TripEtaReader.mayHaveChange), "seed \(seed): \(without)")
            eta.change = TripEta.Change(previousState: nil, changedAt: eta.computedAt)
            let with = write(eta)
            #expect(ByteSlice.withBytes(of: with, TripEtaReader.mayHaveChange), "seed \(seed): \(with)")
        }
    }

    @Test("an invalid context makes the record unreadable", arguments: ["{\u{0}}", "{\"a\":}", "{\"a\" 1}"])
    func brokenContext(context: String) {
        var eta = anyEta
        eta.change = TripEta.Change(previousState: nil, changedAt: Timestamp(milliseconds: 0), contextJSON: context)
        var read = anyEta
        #expect(self.read(write(eta), into: &read) == nil)
        eta.change?.contextJSON = "{}"
        #expect(self.read(write(eta), into: &read) != nil)
    }

    @Test("typical records are read by the canonical reader", arguments: [UInt64(71)])
    func canonical(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<1000 {
            let eta = canonicalEta(&generator)
            let event = EventID(partition: 3, offset: Int64(number))
            let text = write(eta, event: event)
            var read = anyEta
            #expect(self.read(text, into: &read) == event && reader.isCanonical, "seed \(seed): \(text)")
            #expect(read == eta, "seed \(seed): \(text)")
        }
    }

    @Test("the generic reader reads equal values from canonical records, even if damaged", arguments: [UInt64(73)])
    func sameAsGeneric(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var canonicalCount = 0
        for _ in 0..<5 {
            forEachDamage(of: write(canonicalEta(&generator))) { record in
                var (read, expected) = (anyEta, anyEta)
                guard let event = reader.read(record, into: &read), reader.isCanonical else { return }
                canonicalCount += 1
                #expect(readGeneric(record, into: &expected) == event, "seed \(seed): \(record.string)")
                #expect(!reader.isCanonical)
                #expect(read == expected, "seed \(seed): \(record.string)")
            }
        }
        #expect(canonicalCount > 100, "seed \(seed)")
    }

    @Test(
        "records without a required member are unreadable",
        arguments: ["event_id", "trip_id", "driver_id", "kind", "state", "computed_at", "stops", "traffic_conditions"])
    func missing(name: String) {
        var read = anyEta
        let text = write(anyEta)
        #expect(self.read(text, into: &read) != nil)
        #expect(self.read(text.replacing("\"\(name)\":", with: "\"no_\(name)\":"), into: &read) == nil)
    }

    @Test("texts full of escapes fit into the reserved space")
    func worstCase() {
        let long = String(repeating: "\u{1}", count: 128)
        var eta = TripEta(tripID: long, driverID: long, state: .inProgress, computedAt: Timestamp(milliseconds: .max))
        eta.riderID = long
        eta.routeID = long
        eta.vehicleNumber = long
        eta.version = .min
        eta.detectedArrivalStopID = long
        eta.nextStopID = long
        eta.passedStopID = long
        eta.lastStopID = long
        eta.passedAt = eta.computedAt
        eta.occupancyPercent = .min
        eta.progressMeters = -1e300
        eta.offRouteMeters = -1e300
        eta.drivenMeters = -1e300
        eta.plannedMeters = -1e300
        eta.snappedMeters = -1e300
        eta.fareChecks = [.longRoute, .distanceInflation]
        eta.change = TripEta.Change(
            previousState: .inProgress, triggeredBy: long, changedAt: eta.computedAt,
            routePolyline: String(repeating: "\\", count: 65536),
            contextJSON: "{\"a\":\"" + String(repeating: "x", count: 8000) + "\"}",
            factsJSON: "{\"a\":\"" + String(repeating: "x", count: 4000) + "\"}")
        eta.stage = .arrivedDestination
        eta.position = TripEta.Position(
            coordinate: Coordinate(latitude: -1e300, longitude: -1e300), headingDegrees: -1e300,
            speedMetersPerSecond: -1e300,
            accuracyMeters: -1e300, fixedAt: eta.computedAt)
        var stop = TripEta.Stop(id: long, kind: .dropoff, status: .unavailable, delay: .delayed)
        stop.seconds = .min
        stop.minSeconds = .min
        stop.maxSeconds = .min
        stop.confidence = .medium
        stop.distanceMeters = -1e300
        stop.arrivesAt = eta.computedAt
        stop.scheduledAt = eta.computedAt
        stop.delaySeconds = .min
        eta.stops = Array(repeating: stop, count: 200)
        #expect(write(eta).hasSuffix("\"fare_checks\":[\"LONG_ROUTE\",\"DISTANCE_INFLATION\"]}"))
    }

    @Test(
        "fare checks are written as codes, and an empty set is omitted",
        arguments: [
            ([], ""), ([.longRoute], ",\"fare_checks\":[\"LONG_ROUTE\"]"),
            ([.distanceInflation], ",\"fare_checks\":[\"DISTANCE_INFLATION\"]"),
        ] as [(FareChecks, String)])
    func fareChecks(checks: FareChecks, expected: String) {
        var eta = TripEta(tripID: "t", driverID: "d", state: .completed, computedAt: Timestamp(milliseconds: 0))
        eta.plannedMeters = 2
        eta.fareChecks = checks
        #expect(write(eta).hasSuffix(",\"planned_meters\":2\(expected)}"))
    }
}
