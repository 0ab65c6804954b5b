import Codec
import Domain
import Processors
import Foundation
import Processing
import Support

/// In-memory partition of eta-worker with hand-written fixes and trip messages.
struct RidePartition {
    struct Written {
        var etas = RecordedTopic()
        var warnings = RecordedTopic()
        var deadLetters = RecordedTopic()
        var counts: [Int] = []
    }

    private struct Step {
        var input: Int
        var offset: Int
        var at: Timestamp
    }

    static let start = Timestamp(milliseconds: 1_770_000_000_000)
    static let memorySeconds = 300.0

    private var raw = RecordedTopic()
    private var trips = RecordedTopic()

    /// Returns the coordinate `east` and `north` metres from the pickup of ``addTrip(_:_:version:at:trip:members:)``.
    static func coordinate(_ east: Double, _ north: Double) -> Coordinate {
        Coordinate(latitude: 37.77 + north / 111_195, longitude: -122.41 + east / 87_900)
    }

    /// Adds a fix; without `receivedAt`, it is received at the time of measurement.
    mutating func addFix(
        _ driver: String, _ east: Double, _ north: Double = 0, at second: Double, receivedAt: Double? = nil
    ) {
        addRaw(driver, Self.fix(driver, east, north, at: second), at: receivedAt ?? second)
    }

    /// Adds a batch of fixes at `receivedAt`, each with metres east of the pickup and time of measurement.
    mutating func addBatch(_ driver: String, _ fixes: [(east: Double, at: Double)], receivedAt: Double) {
        let texts = fixes.map { Self.fix(driver, $0.east, 0, at: $0.at) }
        addRaw(
            driver, "{\"type\":\"location_batch\",\"locations\":[\(texts.joined(separator: ","))]}", at: receivedAt)
    }

    private static func fix(_ driver: String, _ east: Double, _ north: Double, at second: Double) -> String {
        let position = coordinate(east, north)
        return """
            {"type":"location","driver_id":"\(driver)","sequence":\(Int(second * 10) + 1),"payload":{\
            "latitude":\(position.latitude),"longitude":\(position.longitude),"accuracy_meters":5,\
            "timestamp":\(start.advanced(bySeconds: second).milliseconds)}}
            """
    }

    private mutating func addRaw(_ driver: String, _ text: String, at second: Double) {
        let at = Self.start.advanced(bySeconds: second)
        Self.insert(.init(key: Array(driver.utf8), value: Array(text.utf8), timestamp: at), into: &raw)
    }

    /// Adds a trip message of a ride 3 km eastwards; `members` is additional JSON, such as `"facts":{}`.
    mutating func addTrip(
        _ driver: String, _ state: String, version: Int, at second: Double, trip: String = "t", members: String = ""
    ) {
        let (pickup, dropoff) = (Self.coordinate(0, 0), Self.coordinate(3000, 0))
        let points = (0...150).map { Self.coordinate(Double($0) * 20, 0) }
        let polyline = Polyline.encode(points, precision: 6).replacing("\\", with: "\\\\")
        let text = """
            {"trip_id":"\(trip)","state":"\(state)","version":\(version),"stops":[{"stop_id":"pickup","kind":"PICKUP",\
            "latitude":\(pickup.latitude),"longitude":\(pickup.longitude)},{"stop_id":"dropoff","kind":"DROPOFF",\
            "latitude":\(dropoff.latitude),"longitude":\(dropoff.longitude)}],"route":{"polyline":"\(polyline)",\
            "precision":6,"duration_seconds":300}\(members.isEmpty ? "" : "," + members)}
            """
        addTrip(driver, text: text, at: second)
    }

    /// Adds the trip message `text`.
    mutating func addTrip(_ driver: String, text: String, at second: Double) {
        let at = Self.start.advanced(bySeconds: second)
        Self.insert(.init(key: Array(driver.utf8), value: Array(text.utf8), timestamp: at), into: &trips)
    }

    /// Inserts a record in order of time.
    private static func insert(_ record: RecordedTopic.Record, into topic: inout RecordedTopic) {
        let index = topic.records.firstIndex { $0.timestamp > record.timestamp } ?? topic.records.count
        topic.records.insert(record, at: index)
    }

    /// Returns the output of a worker that restarts after the numbers of input records in `stops`.
    ///
    /// With `losesLast`, a stop loses the last changelog record, but not its warning.
    func run(stops: [Int] = [], losesLast: Bool = false) -> Written {
        let verdicts = LocationPartition.verdicts(raw)
        var steps =
            verdicts.records.enumerated().map { Step(input: 0, offset: $0, at: $1.timestamp) }
            + trips.records.enumerated().map { Step(input: 1, offset: $0, at: $1.timestamp) }
        steps.sort { ($0.at, $1.input) < ($1.at, $0.input) }
        var written = Written()
        for end in stops + [steps.count] {
            let processor = EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: Self.memorySeconds)
            var runner = restored(processor, from: written)
            let positions = runner.positions
            for step in steps[..<end] where step.input == 0 || Int64(step.offset) >= positions[1] {
                let topic = step.input == 0 ? verdicts : trips
                topic.with(step.offset, input: step.input) { record, _ in runner.process(record) }
                runner.drainOutputs { Self.append($0, to: &written) }
            }
            written.counts = processor.counts
            if losesLast, end < steps.count, !written.etas.records.isEmpty { written.etas.records.removeLast() }
        }
        return written
    }

    /// Number of input records.
    var count: Int { raw.records.count + trips.records.count }

    private static func append(_ output: InMemoryRunner.Output, to written: inout Written) {
        switch output.topic {
        case 0: written.etas.append(output)
        case 1: written.deadLetters.append(output)
        case 3: written.warnings.append(output)
        default: break
        }
    }

    private func restored(_ processor: EtaProcessor, from written: Written) -> InMemoryRunner {
        var runner = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: Self.memorySeconds), processor: processor)
        for (topic, output) in [(written.deadLetters, 1), (written.warnings, 3)] {
            for offset in topic.records.indices {
                topic.with(offset, input: output) { record, _ in runner.restoreSideOutput(record) }
            }
        }
        for offset in written.etas.records.indices {
            written.etas.with(offset, input: 0) { record, header in runner.restore(record, watermarkHeader: header) }
        }
        runner.finishRestore()
        for offset in trips.records.indices where Int64(offset) < runner.positions[1] {
            trips.with(offset, input: 1) { record, _ in runner.replay(record) }
        }
        return runner
    }

    /// Returns the rider updates for `etas`, with a restart after `stop` records.
    static func updates(of etas: RecordedTopic, stop: Int? = nil) -> RecordedTopic {
        let partition = BroadcastPartition(etas: etas)
        guard let stop else { return partition.resume(from: RecordedTopic()) }
        return partition.resume(from: partition.resume(from: RecordedTopic(), until: stop))
    }
}
