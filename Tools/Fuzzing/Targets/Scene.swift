import Codec
import Domain
import EtaWorker
import LocationWorker
import Processing
import Support

/// A short drive through the whole pipeline: what a stage is shown after it was given strange bytes, and seeds.
struct Scene {
    /// One record with memory of its own.
    struct Record {
        var at: Timestamp
        var key: [UInt8]
        var value: [UInt8]
        var state: [UInt8] = []
        var event: EventID?

        /// Calls `body` with the record as an input.
        func with(input: Int = 0, offset: Int64, state other: ByteSlice? = nil, _ body: (InputRecord) -> Void) {
            key.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    state.withUnsafeBytes { state in
                        body(
                            InputRecord(
                                input: input, partition: 0, offset: offset, timestamp: at, key: ByteSlice(key),
                                value: ByteSlice(value), event: event, state: other ?? ByteSlice(state)))
                    }
                }
            }
        }
    }

    static let driver = "d7"
    static let start = Timestamp(milliseconds: 1_770_000_000_000)
    static let memorySeconds = 300.0
    /// Little is remembered, so that a stage is made quickly: there is one per input.
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
        judge()
        time()
        broadcast()
    }

    /// Eastwards at 12 m/s, once with a jump that is warned of.
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

    private mutating func judge() {
        var settings = Self.tracking
        settings.rate.isLimited = false
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            processor: LocationProcessor(partition: 0, settings: settings))
        runner.finishRestore()
        for (offset, record) in raw.enumerated() {
            record.with(offset: Int64(offset)) { runner.process($0) }
            runner.drainOutputs {
                if $0.topic == 0 { verdicts.append(Record($0)) }
                if $0.topic == 2 { warnings.append(Record($0)) }
            }
        }
    }

    private mutating func time() {
        var runner = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: Self.memorySeconds),
            processor: EtaProcessor(partition: 0, arrival: Self.arrival, memorySeconds: Self.memorySeconds))
        runner.finishRestore()
        for (offset, trip) in trips.enumerated() {
            trip.with(input: 1, offset: Int64(offset)) { runner.process($0) }
            let until = offset + 1 < trips.count ? trips[offset + 1].at : Timestamp.latest
            for (number, verdict) in verdicts.enumerated() where verdict.at >= trip.at && verdict.at < until {
                verdict.with(offset: Int64(number)) { runner.process($0) }
            }
        }
        runner.advanceStreamTime(to: Timestamp(milliseconds: Self.start.milliseconds + 120_000))
        runner.drainOutputs {
            if $0.topic == 0 { etas.append(Record($0)) }
        }
    }

    private mutating func broadcast() {
        var runner = InMemoryRunner(
            layout: BroadcastProcessor.layout(memorySeconds: Self.memorySeconds),
            processor: BroadcastProcessor(
                partition: 0, settings: BroadcastSettings(), memorySeconds: Self.memorySeconds))
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
