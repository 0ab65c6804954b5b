import Processors
import Codec
import Domain
import Foundation
import Processing
import Support

/// Records of a short drive at all three processors: seeds, and ordinary records to process after unusual records.
struct Scene {
    /// A record that owns its memory.
    struct Record {
        var at: Timestamp
        var key: [UInt8]
        /// `nil` for a tombstone.
        var value: [UInt8]?
        var state: [UInt8] = []
        var event: EventID?

        /// Calls `body` with the record as an input; `other` replaces its state.
        func with(input: Int = 0, offset: Int64, state other: ByteSlice? = nil, _ body: (InputRecord) -> Void) {
            key.withUnsafeBytes { key in
                (value ?? []).withUnsafeBytes { bytes in
                    state.withUnsafeBytes { state in
                        body(
                            InputRecord(
                                input: input, partition: 0, offset: offset, timestamp: at, key: ByteSlice(key),
                                value: value == nil ? nil : ByteSlice(bytes), event: event,
                                state: other ?? ByteSlice(state)))
                    }
                }
            }
        }
    }

    static let driver = "d7"
    static let start = Timestamp(milliseconds: 1_770_000_000_000)
    static let memorySeconds = 300.0
    /// Settings with small limits for remembered data, because every input creates new processors.
    static let tracking: TrackingSettings = {
        var settings = TrackingSettings()
        settings.replay.rememberedChunks = 64
        return settings
    }()
    static let arrival: ArrivalSettings = {
        var settings = ArrivalSettings()
        settings.roadSpeeds.capacity = 64
        return settings
    }()

    static func locationRunner(_ settings: TrackingSettings = tracking) -> InMemoryRunner {
        InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            processor: LocationProcessor(partition: 0, settings: settings))
    }

    static func etaRunner() -> InMemoryRunner {
        InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: memorySeconds),
            processor: EtaProcessor(partition: 0, arrival: arrival, memorySeconds: memorySeconds))
    }

    static func broadcastRunner() -> InMemoryRunner {
        InMemoryRunner(
            layout: BroadcastProcessor.layout(memorySeconds: memorySeconds),
            processor: BroadcastProcessor(
                partition: 0, settings: BroadcastSettings(), memorySeconds: memorySeconds))
    }

    var raw: [Record] = []
    var trips: [Record] = []
    var verdicts: [Record] = []
    var etas: [Record] = []
    var updates: [Record] = []
    var warnings: [Record] = []

    init() {
        for number in 0..<24 { raw.append(Self.fix(number)) }
        trips = [
            Self.trip("ACCEPTED", second: 0), Self.trip("IN_PROGRESS", second: 8), Self.trip("COMPLETED", second: 22),
        ]
        runLocation()
        runEta()
        runBroadcast()
    }

    /// Creates a fix of a drive to the east at 12 m/s; fix 20 is a jump, which causes a warning.
    private static func fix(_ number: Int) -> Record {
        let longitude = number == 20 ? 12.5 : 11.5755 + Double(number) * 0.00016
        let text = """
            {"type":"location","driver_id":"\(driver)","session_id":"s1","sequence":\(number + 1),"trip_id":"t1",\
            "latitude":48.1374,"longitude":\(longitude),"accuracy_meters":6.5,"speed_mps":12,"heading":90,\
            "altitude_meters":519.4,"timestamp":\(start.milliseconds + Int64(number) * 1000)}
            """
        return Record(
            at: Timestamp(milliseconds: start.milliseconds + Int64(number) * 1000 + 80), key: Array(driver.utf8),
            value: Array(text.utf8))
    }

    private static func trip(_ state: String, second: Int64) -> Record {
        let points = (0...4).map { Coordinate(latitude: 48.1374, longitude: 11.5755 + Double($0) * 0.001) }
        let line = Polyline.encode(points, precision: 5).replacing("\\", with: "\\\\")
        let text = """
            {"trip_id":"t1","driver_id":"\(driver)","rider_id":"r1","state":"\(state)","version":\(second + 1),\
            "stops":[{"stop_id":"pickup","latitude":48.1374,"longitude":11.5765},\
            {"stop_id":"dropoff","latitude":48.1374,"longitude":11.5793}],\
            "route":{"polyline":"\(line)","precision":5,"duration_seconds":60},"context":{"seats":2}}
            """
        return Record(
            at: Timestamp(milliseconds: start.milliseconds + second * 1000), key: Array(driver.utf8),
            value: Array(text.utf8))
    }

    private mutating func runLocation() {
        var settings = Self.tracking
        settings.rate.isLimited = false
        var runner = Self.locationRunner(settings)
        runner.finishRestore()
        for (offset, record) in raw.enumerated() {
            record.with(offset: Int64(offset)) { runner.process($0) }
            runner.drainOutputs {
                if $0.topic == 0 { verdicts.append(Record($0)) }
                if $0.topic == 2 { warnings.append(Record($0)) }
            }
        }
    }

    private mutating func runEta() {
        var runner = Self.etaRunner()
        runner.finishRestore()
        for (offset, trip) in trips.enumerated() {
            trip.with(input: 1, offset: Int64(offset)) { runner.process($0) }
            let until = offset + 1 < trips.count ? trips[offset + 1].at : Timestamp.latest
            for (number, verdict) in verdicts.enumerated() where verdict.at >= trip.at && verdict.at < until {
                verdict.with(offset: Int64(number)) { runner.process($0) }
            }
        }
        runner.advanceStreamTime(to: Timestamp(milliseconds: Self.start.milliseconds + 120_000))
        runner.drainOutputs { if $0.topic == 0 { etas.append(Record($0)) } }
    }

    private mutating func runBroadcast() {
        var runner = Self.broadcastRunner()
        runner.finishRestore()
        for (offset, eta) in etas.enumerated() { eta.with(offset: Int64(offset)) { runner.process($0) } }
        runner.drainOutputs { updates.append(Record($0)) }
    }
}

extension Scene.Record {
    init(_ output: InMemoryRunner.Output) {
        at = output.timestamp
        key = Array(output.key.buffer)
        value = Array((output.value ?? .empty).buffer)
        let record = output.record(offset: 0)
        state = Array(record.state.buffer)
        event = output.event
    }
}

/// Writes seeds that cannot be edited by hand: outputs of the current writers, and binary inputs.
enum SeedWriter {
    /// Writes the seeds of each target to a folder of its name in `path`.
    static func write(to path: String) throws {
        let scene = Scene()
        let states =
            scene.verdicts.map { [0] + $0.state } + scene.etas.map { [1] + $0.state }
            + scene.updates.map { [3] + $0.state } + [roadSpeed]
        let seeds: [(any FuzzTarget.Type, [[UInt8]])] = [
            (VerdictTarget.self, scene.verdicts.compactMap(\.value)), (EtaTarget.self, scene.etas.compactMap(\.value)),
            (UpdateTarget.self, scene.updates.compactMap(\.value)),
            (WarningTarget.self, scene.warnings.compactMap(\.value)),
            (RawTarget.self, scene.raw.prefix(2).compactMap(\.value)),
            (TripTarget.self, scene.trips.compactMap(\.value)), (HeaderTarget.self, headers),
            (StateTarget.self, states.filter { $0.count > 1 }), (PipelineTarget.self, [journey]),
        ]
        for (target, seeds) in seeds {
            let folder = URL(fileURLWithPath: path).appending(path: target.name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (number, seed) in seeds.enumerated() {
                try Data(seed).write(to: folder.appending(path: "written-\(number)"))
            }
        }
    }

    /// Input of ``StateTarget``: the header of a learned road speed of 120 m in 10 s.
    private static var roadSpeed: [UInt8] {
        var writer = ByteWriter()
        for byte: UInt8 in [2, 1, 0, 0, 0, 0, 0] { writer.append(byte) }
        writer.append(littleEndian: UInt64(0x1234_5678_9abc))
        writer.append(UInt8(8))
        writer.append(littleEndian: 120.0.bitPattern)
        writer.append(littleEndian: 10.0.bitPattern)
        writer.append(littleEndian: Scene.start.milliseconds)
        return Array(writer.bytes.buffer)
    }

    private static var headers: [[UInt8]] {
        let event = EventID(partition: 3, offset: 184_467).withFix(7).withMessage(1)
        var writer = ByteWriter()
        WatermarkHeader.encode(event: event, positions: [184_467, 512], into: &writer)
        return [Array(writer.bytes.buffer)] + ["t3-512", "3-184467.7+2/1"].map { Array($0.utf8) }
    }

    /// Input of ``PipelineTarget``: a trip of two stops with a route, 12 fixes along it, and its end.
    private static var journey: [UInt8] {
        func trip(_ state: UInt8, _ version: UInt8) -> [UInt8] {
            let stops: [UInt8] = [2, 0, 0, 100, 0, 0, 120]
            let route: [UInt8] = [4, 0, 0, 100, 0, 200, 0, 44, 1, 60]
            return [5, 20, 16 | state] + stops + route + [version, 0]
        }
        func fix(_ number: UInt8) -> [UInt8] {
            let east = UInt16(number) * 160
            return [0, 20, 6, 0, 0, UInt8(truncatingIfNeeded: east), UInt8(east >> 8), number, 6, 176, 4, 90]
        }
        return trip(1, 1) + (1...4).flatMap(fix) + trip(3, 2) + (5...12).flatMap(fix) + trip(4, 3)
    }
}
