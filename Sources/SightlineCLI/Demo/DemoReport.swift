import Foundation
import Simulation
import Tracking

/// What a run was like: the figures that `sightline demo` ends with.
///
/// ``lost`` counts, each separately:
/// - fixes of the raw topic that have neither a verdict nor a dead letter;
/// - verdicts, warnings and changes of trips on their topics that have no row in the history (verdicts only where the
///   history keeps them all);
/// - drivers whose position was accepted and who have no key in Redis;
/// - records of the pipeline's own topics that cannot be read.
///
/// ``doubled`` counts:
/// - outcomes of a fix beyond its first, and outcomes of raw records that do not exist;
/// - records of the pipeline's own topics whose event was on that topic before;
/// - rows of the history beyond the first of an event.
///
/// Latency is measured from the raw record's timestamp, which the simulation sets as it hands the record to the client
/// library, to the moment at which a consumer in this process holds the rider update made from it: what a gateway would
/// see, and a little more than from append to append. Updates made by a punctuation or a trip message do not count, and
/// a recording, whose records carry the times of the recording, has no latency.
struct DemoReport: Equatable {
    struct Latency: Equatable {
        var p50: Int
        var p99: Int
    }

    struct Smoothing: Equatable {
        var rawRMSEMeters: Double
        var smoothedRMSEMeters: Double
    }

    var rawRecords: Int
    var fixes: Int
    var verdicts: [Verdict: Int]
    var deadLetters: Int
    var historyRows: Int
    var redisDrivers: Int
    var riderUpdates: Int
    var lost: Int
    var doubled: Int
    var latency: Latency?
    var smoothing: Smoothing?
    var spoofing: SpoofingScore.Result?
    var arrivals: ArrivalScore.Result?
    /// What ``lost`` and ``doubled`` are made of, one sentence for each kind that occurred.
    var complaints: [String]

    /// - Parameters:
    ///   - ledger: what was seen on the topics, read to their ends.
    ///   - stores: what the stores hold.
    ///   - drivers: the truth of a simulated fleet; empty for a recording.
    ///   - trips: the truth of a simulated fleet's trips; empty for a recording.
    ///   - isLive: whether raw records carry the time at which they were sent.
    init(
        ledger: RunLedger, stores: StoreCounts, drivers: [DriverTruth] = [], trips: [TripTruth] = [], isLive: Bool
    ) {
        rawRecords = ledger.rawRecords
        fixes = ledger.fixes
        verdicts = ledger.verdicts
        deadLetters = ledger.deadLetters + ledger.tripDeadLetters
        historyRows = stores.locations.all
        redisDrivers = stores.drivers
        riderUpdates = ledger.riderUpdates
        if isLive, let p50 = ledger.latency.percentile(0.5), let p99 = ledger.latency.percentile(0.99) {
            latency = Latency(p50: p50, p99: p99)
        }
        smoothing = ledger.accuracy.rootMeanSquares.map {
            Smoothing(rawRMSEMeters: $0.raw, smoothedRMSEMeters: $0.smoothed)
        }
        spoofing = ledger.spoofing.result(drivers, seen: ledger.drivers)
        arrivals = ledger.arrivals.result(trips)
        let losses = Self.losses(ledger, stores)
        let doubles = Self.doubles(ledger, stores)
        lost = losses.reduce(0) { $0 + $1.count }
        doubled = doubles.reduce(0) { $0 + $1.count }
        complaints = (losses + doubles).filter { $0.count > 0 }.map { "\($0.count) \($0.what)." }
    }

    /// Whether everything came through exactly once.
    var isClean: Bool { lost == 0 && doubled == 0 }

    private typealias Finding = (count: Int, what: String)

    private static func losses(_ ledger: RunLedger, _ stores: StoreCounts) -> [Finding] {
        let unwritten = stores.isSampled ? 0 : max(0, ledger.verdictCount - stores.locations.distinct)
        return [
            (ledger.outcomes.missing, "fixes have neither a verdict nor a dead letter"),
            (unwritten, "verdicts have no row in location_history"),
            (max(0, ledger.warnings - stores.warnings.distinct), "warnings have no row in location_warnings"),
            (max(0, ledger.tripChanges - stores.tripEvents.distinct), "changes of trips have no row in trip_events"),
            (stores.missingDrivers, "drivers with an accepted position have no key in Redis"),
            (ledger.unreadable, "records of the pipeline's own topics cannot be read"),
        ]
    }

    private static func doubles(_ ledger: RunLedger, _ stores: StoreCounts) -> [Finding] {
        [
            (ledger.outcomes.surplus, "fixes have more than one outcome"),
            (ledger.outcomes.unexplained, "outcomes belong to raw records that do not exist"),
            (ledger.repeated, "records stand on their topic more than once"),
            (stores.locations.doubled, "rows of location_history repeat an event"),
            (stores.warnings.doubled, "rows of location_warnings repeat an event"),
            (stores.tripEvents.doubled, "rows of trip_events repeat an event"),
        ]
    }
}
