import Foundation
import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Published schemas")
struct SchemaTests {
    private let event = EventID(partition: 3, offset: 184_467)
    /// Stored, because the fixes point into its memory.
    private let reader = RawRecordReader()

    private func expectValid(_ record: String, _ validator: SchemaValidator) throws {
        let problems = try validator.problems(of: record)
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n")) in \(record)")
    }

    @Test("readable raw records conform to the schema, and unreadable records do not")
    func raw() throws {
        let validator = try SchemaValidator(file: "driver.locations.raw.schema.json", isStrict: false)
        let good = RawSamples.good()
        let samples = [
            RawSamples.rideshare, RawSamples.mobile, good, RawSamples.batch([RawSamples.rideshare, RawSamples.mobile]),
            RawSamples.good("\"trip_id\":null,\"heading\":-1,\"accuracy_meters\":0,\"extra\":[]"),
        ]
        for sample in samples {
            #expect(reader.read(sample).reason == nil)
            try expectValid(sample, validator)
        }
        for sample in [
            "{\"type\":\"weather\"}", good.replacing("\"latitude\":1", with: "\"latitude\":91"), RawSamples.batch([]),
            RawSamples.good("\"speed_mps\":\"fast\""), RawSamples.good("\"sequence\":-1"),
            RawSamples.good("\"is_mock\":1"),
            RawSamples.good("\"coordinate\":{\"latitude\":\"x\",\"longitude\":1}"), "{\"type\":\"location_batch\"}",
            RawSamples.batch(Array(repeating: good, count: 501)), good.replacing("1741977135123", with: "true"),
        ] {
            #expect(reader.read(sample).reason != nil)
            #expect(try !validator.problems(of: sample).isEmpty, "\(sample.prefix(200))")
        }
    }

    @Test("every verdict that is written is valid and documented", arguments: Verdict.allCases)
    func verdicts(verdict: Verdict) throws {
        let validator = try SchemaValidator(file: "driver.locations.schema.json", isStrict: true)
        let estimate = Estimate(
            coordinate: Coordinate(latitude: 37.775096, longitude: -122.418301), headingDegrees: 359.999,
            speedMetersPerSecond: 12.3, accuracyMeters: 3.9, confidence: .high, isHalted: false)
        for sample in [
            RawSamples.rideshare, RawSamples.mobile,
            RawSamples.good("\"accuracy_meters\":0,\"is_mock\":true,\"integrity\":\"FAILED\""),
        ] {
            let raw = try #require(reader.single(sample))
            for reasons in Reasons.all.map(\.value) + [Reasons(rawValue: .max), Reasons(rawValue: 0)] {
                for hasEstimate in verdict == .throttled ? [true, false] : [verdict == .accepted] {
                    var result = VerdictResult(
                        verdict: verdict, reasons: reasons, risk: 0.123, estimate: hasEstimate ? estimate : nil,
                        fixedAt: Timestamp(milliseconds: 1_741_977_135_000))
                    if !reasons.isEmpty { result.riskSignals = [.jump, .relocation, .overdueSpeed] }
                    try expectValid(text(result, raw), validator)
                }
            }
        }
        let bare = RawFix(fix: Fix(coordinate: Coordinate(latitude: 1, longitude: 2)))
        let part = text(VerdictResult(verdict: verdict, fixedAt: Timestamp(milliseconds: 0)), bare)
            .replacing("\"raw\"", with: "\"confidence\":\"LOW\",\"raw\"")
        #expect(try !validator.problems(of: part).isEmpty, "a part of an estimate")
        for type in NetworkType.allCases where type != .unknown {
            #expect(validator.words(at: "properties", "network_type").contains("\(type.code)"))
        }
        for activity in MotionActivity.allCases where activity != .unknown {
            #expect(validator.words(at: "properties", "motion_activity").contains("\(activity.code)"))
        }
        #expect(validator.words(at: "properties", "verdict").contains("\(verdict.code)"))
        #expect(validator.words(at: "properties", "reasons", "items") == Set(Reasons.all.map { "\($0.code)" }))
        #expect(validator.words(at: "properties", "risk_signals", "items") == Set(Signals.all.map { "\($0.code)" }))
    }

    private func text(_ result: VerdictResult, _ raw: RawFix) -> String {
        written { writer in
            ByteSlice.withBytes(of: "drv_17") {
                VerdictWriter.write(
                    event: event.withFix(7), driverID: $0, raw: raw, result: result,
                    receivedAt: Timestamp(milliseconds: 1_741_977_135_500), into: &writer)
            }
        }
    }

    @Test("every warning that is written is valid and documented")
    func warnings() throws {
        let validator = try SchemaValidator(file: "driver.warnings.schema.json", isStrict: true)
        for (_, reason) in Reasons.all {
            for action in LocationWarning.Action.allCases {
                let evidence = LocationWarning.Evidence(
                    distanceMeters: 4213, seconds: 3, speedMetersPerSecond: 1404, accuracyMeters: 5, fixes: 20)
                let warning = LocationWarning(reason: reason, action: action, evidence: evidence)
                let text = written { writer in
                    ByteSlice.withBytes(of: "drv_17") {
                        WarningWriter.write(
                            event: event.withMessage(1), driverID: $0, warning: warning, risk: 0.97,
                            at: Timestamp(milliseconds: 1_741_977_135_123), into: &writer)
                    }
                }
                try expectValid(text, validator)
            }
        }
    }

    @Test("every warning about a trip that is written is valid and documented")
    func tripWarnings() throws {
        let validator = try SchemaValidator(file: "trip.warnings.schema.json", isStrict: true)
        let at = Timestamp(milliseconds: 1_741_977_135_123)
        for code in TripWarning.Code.allCases {
            for ending in [nil] + TripWarning.Ending.allCases.map(Optional.some) {
                for coordinate in [nil, Coordinate(latitude: 37.77, longitude: -122.41)] {
                    let warning = TripWarning(
                        code: code, beganAt: at, endedAt: ending.map { _ in at.advanced(bySeconds: 61) },
                        ending: ending, greatestMeters: 321.5, coordinate: coordinate)
                    let text = written { writer in
                        ByteSlice.withBytes(of: "tr_4e5f") { trip in
                            ByteSlice.withBytes(of: "drv_17") {
                                TripWarningWriter.write(
                                    event: event, tripID: trip, driverID: $0, warning: warning, at: at, into: &writer)
                            }
                        }
                    }
                    try expectValid(text, validator)
                }
            }
        }
    }

    @Test("every trip that is written is valid and documented", arguments: [UInt64(89)])
    func trips(seed: UInt64) throws {
        let validator = try SchemaValidator(file: "trips.schema.json", isStrict: true)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let trip = TripSamples.trip(&generator)
            try expectValid(written { TripWriter.write(trip, into: &$0) }, validator)
        }
    }

    @Test("every ETA that is written is valid and documented", arguments: [UInt64(97)])
    func etas(seed: UInt64) throws {
        let validator = try SchemaValidator(file: "trip.etas.schema.json", isStrict: true)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let eta = TripSamples.eta(&generator)
            try expectValid(written { TripEtaWriter.write(event: event, eta: eta, into: &$0) }, validator)
        }
    }

    @Test("every rider update that is written is valid and documented", arguments: [UInt64(101)])
    func riderUpdates(seed: UInt64) throws {
        let validator = try SchemaValidator(file: "rider.updates.schema.json", isStrict: true)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            for update in samples(&generator) {
                let text = written { writer in
                    ByteSlice.withBytes(of: "trip:tr_4e5f") {
                        RiderUpdateWriter.write(
                            event: event.withPunctuation(3), channel: $0, update: update, into: &writer)
                    }
                }
                try expectValid(text, validator)
            }
        }
    }

    private func samples(_ generator: inout SeededGenerator) -> [RiderUpdate] {
        let stops = [
            TripSamples.stop(&generator, kind: .pickup), TripSamples.stop(&generator, kind: .dropoff),
            TripSamples.stop(&generator, kind: .stop),
        ]
        let at = generator.time()
        var stale = RiderUpdate.EtaUpdate(computedAt: at, stops: stops, traffic: .heavy)
        (stale.isStale, stale.staleSeconds) = (true, 121)
        return [
            .driverLocation(
                .init(
                    coordinate: TripSamples.coordinate(&generator), headingDegrees: generator.maybe { _ in 359.999 },
                    speedMetersPerSecond: 3, interpolationMilliseconds: 1000, fixedAt: at, isStale: false,
                    staleSeconds: 0)),
            .eta(.init(computedAt: at, stops: Array(stops.prefix(2)), routePolyline: "a\\", traffic: .light)),
            .eta(stale),
            .stateChanged(
                .init(
                    previousState: generator.maybe { TripSamples.state(&$0) }, state: TripSamples.state(&generator),
                    triggeredBy: "RIDER", changedAt: at, contextJSON: "{\"a\":1}", detectedArrivalStopID: "pickup",
                    stage: generator.maybe { TripSamples.one(of: TripStage.allCases, &$0, .driverEnRoute) },
                    isRematched: Bool.random(using: &generator), factsJSON: generator.maybe { _ in TripSamples.facts })),
            .vehiclePosition(TripSamples.vehicle(&generator)),
            .vehicleLeft(.init(streamID: "run_9", vehicleNumber: "KA-01", state: .cancelled, at: at)),
            .notification(
                .init(
                    kind: TripSamples.one(of: RiderUpdate.Notification.Kind.allCases, &generator, .etaMoved),
                    priority: .high, etaChangeSeconds: -400, triggeredBy: generator.maybe { _ in "DRIVER" },
                    factsJSON: generator.maybe { _ in TripSamples.facts })),
        ]
    }

    @Test("a record that violates its schema is reported")
    func breaches() throws {
        let validator = try SchemaValidator(file: "driver.warnings.schema.json", isStrict: true)
        #expect(try !validator.problems(of: "{}").isEmpty)
        #expect(try !validator.problems(of: "{\"type\":\"location_warning\",\"new\":1}").isEmpty)
        #expect(try !validator.problems(of: "[]").isEmpty)
    }

    @Test("the AsyncAPI document lists every topic, schema, dead-letter reason and trip rejection")
    func asyncAPI() throws {
        let text = try String(contentsOf: SchemaValidator.folder.appending(path: "asyncapi.yaml"), encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        let addresses = lines.filter { $0.hasPrefix("address: ") }.map { String($0.dropFirst(9)) }
        #expect(addresses == PipelineTopic.allCases.map(\.rawValue))
        let references = lines.filter { $0.hasPrefix("$ref: './") }.map { String($0.dropFirst(9).dropLast()) }
        let files = try FileManager.default.contentsOfDirectory(atPath: SchemaValidator.folder.path)
        #expect(Set(references) == Set(files.filter { $0.hasSuffix(".schema.json") }))
        for reason in DeadLetterReason.allCases { #expect(lines.contains { $0 == "- \(reason.code)" }, "\(reason)") }
        for rejection in TripRejection.allCases { #expect(lines.contains { $0 == "- \(rejection.code)" }) }
    }
}
