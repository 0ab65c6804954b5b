import Domain
import Simulation

/// Figures of a run, collected from the topics.
struct DemoFigures: Sendable {
    var drivers: Set<String> = []
    var rawRecords = 0
    /// Fixes of readable raw records.
    var fixes = 0
    var verdicts: [Verdict: Int] = [:]
    var deadLetters = 0
    var warnings = 0
    var etas = 0
    var riderUpdates = 0
    /// Verdicts and dead letters expected for the raw records read so far.
    var expectedOutcomes = 0
    /// Latency from the timestamp of a raw record until this process has read the derived rider update.
    ///
    /// The simulation sets the timestamp just before it produces the record. A gateway reads updates in the same way.
    var latency = LatencyMeter()
    var accuracy = AccuracyScore()
    var spoofing = SpoofingScore()
    var arrivals = ArrivalScore()
    /// The last smoothed position of each driver.
    var positions: [String: Coordinate] = [:]

    private var watermarks: [PipelineTopic: [Int32: Watermark]] = [:]

    /// Stores the truth of a simulated fix if its driver is honest.
    mutating func expect(_ fix: FixGroundTruth) {
        // The filter is still affected by forged fixes when a cheater sends honest ones.
        guard !spoofing.isCheater(fix.driverID) else { return }
        accuracy.expect(fix)
    }

    /// Number of expected verdicts and dead letters that have not been read yet.
    var waiting: Int { max(0, expectedOutcomes - deadLetters - verdicts.values.reduce(0, +)) }

    /// Advances the watermark of a record's partition; returns `false` for a repetition, which all readers drop.
    mutating func isNew(_ event: EventID, in topic: PipelineTopic) -> Bool {
        watermarks[topic, default: [:]][event.partition, default: Watermark()].advance(to: event)
    }
}
