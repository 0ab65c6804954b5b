import Model
import Simulation

/// What has been seen of a run so far, to be shown; whether it is as it should be says the audit.
struct DemoFigures: Sendable {
    var drivers: Set<String> = []
    var rawRecords = 0
    /// Fixes of raw records that can be read.
    var fixes = 0
    var verdicts: [Verdict: Int] = [:]
    var deadLetters = 0
    var warnings = 0
    var etas = 0
    var riderUpdates = 0
    /// Verdicts and dead letters that the raw records seen are owed.
    var outcomesOwed = 0
    /// From a raw record's timestamp, which the simulation sets as it hands the record to the client library, to the
    /// moment at which this process holds the rider update made from it: what a gateway would see.
    var latency = LatencyMeter()
    var accuracy = AccuracyScore()
    var spoofing = SpoofingScore()
    var arrivals = ArrivalScore()
    var places = FleetPlaces()

    private var clocks: [Place: Watermark] = [:]

    private struct Place: Hashable {
        var topic: PipelineTopic
        var partition: Int32
    }

    /// Expects a verdict on a simulated fix; errors are measured over fixes of honest drivers.
    mutating func expect(_ fix: FixTruth) {
        // A cheater's honest fixes come after forged ones, which the filter has to leave first.
        guard !spoofing.isCheater(fix.driverID) else { return }
        accuracy.expect(fix)
    }

    /// Fixes seen that have no outcome yet.
    var waiting: Int { max(0, outcomesOwed - deadLetters - verdicts.values.reduce(0, +)) }

    /// Whether readers are shown a record: one whose event does not advance its partition's clock was there before.
    mutating func isNew(_ event: EventID, in topic: PipelineTopic) -> Bool {
        clocks[Place(topic: topic, partition: event.partition), default: Watermark()].advance(to: event)
    }
}
