import Codec
import Domain
import Processing
import Support

/// Processor that joins verdicts with trips, and writes progress, arrival times and delays.
///
/// Writes a record for each location with an estimate whose driver is on a trip and not flagged, for each change of a
/// trip, and for each punctuation that changes the result or at which a heartbeat is due. A restore reads the progress
/// from these records, then replays the trips topic for the plans, before any location is processed.
package final class EtaProcessor: Processor {
    /// Indices into the layout's inputs.
    enum Input {
        static let locations = 0
        static let trips = 1
    }

    /// Indices into the layout's outputs.
    enum Topic {
        static let etas = 0
        static let deadLetters = 1
        static let roadSpeeds = 2
        static let warnings = 3
    }

    /// Last estimated position of a driver; a trip that begins between two fixes starts from it.
    struct LastFix {
        var position: TripEta.Position
        var isHalted: Bool
        var confidence: Confidence
        var occupancyPercent: Int?
        /// Whether a later fix of the same batch follows.
        var hasLaterFix: Bool
        /// The later of the record's timestamp and the verdict's receipt time.
        var receivedAt: Timestamp
    }

    struct Driver {
        var ledger = TripLedger()
        var current: TripEntry?
        var next: TripEntry?
        /// Ended trips whose late fixes are still counted, ordered by end.
        var settling: [TripEntry] = []
        var trail = DistanceTrail()
        var lastFix: LastFix?
        /// Timestamp of the driver's last record in the trips topic.
        var messageAt = Timestamp(milliseconds: .min)
    }

    package var counts: [Int]
    package internal(set) var unreadable = UnreadableStates()

    let memoryMilliseconds: Int64
    let estimator: ArrivalEstimator
    var drivers = KeyTable()
    var states: ContiguousArray<Driver> = []
    /// Progress read from the changelog, which trips receive while the trips topic is replayed.
    var restored: [RestoredTrip.Key: RestoredTrip] = [:]
    /// Newest timestamp of the restored changelog.
    var restoredAt: Timestamp?
    var learner: RoadSpeedLearner
    /// Newest processed event id per source topic.
    var newestEvents = Watermark()
    /// Offset after the last processed trip message.
    var tripsPosition: Int64 = 0

    private let verdicts = VerdictReader()
    let trips = TripReader()
    let deadLetter = DeadLetter(
        topic: PipelineTopic.trips.rawValue, stage: "eta", processor: "TripLedger", output: Topic.deadLetters)
    var streamTime = Timestamp(milliseconds: .min)
    private var sweptAt = Timestamp(milliseconds: .min)

    package init(partition: Int32, arrival: ArrivalSettings, memorySeconds: Double) {
        memoryMilliseconds = Int64(memorySeconds * 1000)
        estimator = ArrivalEstimator(settings: arrival)
        learner = RoadSpeedLearner(
            partition: partition, settings: arrival.roadSpeeds, memoryMilliseconds: memoryMilliseconds)
        counts = Array(repeating: 0, count: Self.counterDefinitions.count)
    }

    package func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        advanceStreamTime(to: record.timestamp, into: &outputs)
        if record.input == Input.trips {
            processTrip(record, into: &outputs)
        } else {
            processLocation(record, into: &outputs)
        }
        sweepIfDue()
    }

    package func punctuate(now: Timestamp, into outputs: inout OutputBatch) {
        advanceStreamTime(to: now, into: &outputs)
        for index in states.indices {
            if let current = states[index].current { punctuate(current, now: now, into: &outputs) }
            if let next = states[index].next { punctuate(next, now: now, into: &outputs) }
            if !states[index].settling.isEmpty { endSettlements(index, now: now, into: &outputs) }
        }
    }

    private func advanceStreamTime(to time: Timestamp, into outputs: inout OutputBatch) {
        streamTime = max(streamTime, time)
        learner.checkpointIfDue(at: streamTime, topic: Topic.roadSpeeds, into: &outputs)
    }

    private func punctuate(_ entry: TripEntry, now: Timestamp, into outputs: inout OutputBatch) {
        // Punctuations are numbered from the last location; without one, nothing becomes stale.
        guard let event = newestEvents.raw?.nextPunctuation, let eta = entry.trip.punctuate(at: now) else { return }
        newestEvents.advance(to: event)
        append(eta, of: entry, event, at: now, into: &outputs)
    }

    // MARK: Locations

    private func processLocation(_ record: InputRecord, into outputs: inout OutputBatch) {
        guard let value = record.value, let verdict = verdicts.read(value) else {
            counts[Self.unreadableSlot] += 1
            return
        }
        newestEvents.advance(to: verdict.eventID)
        // Throttled fixes are also used, because location-worker throttles fixes without a trip id
        // more strictly, and only this worker knows whether the driver is on a trip. Fail closed:
        // updates from a flagged driver are withheld, so riders see the vehicle as stale.
        guard let estimate = verdict.estimate, !verdict.reasons.contains(.flagged) else { return }
        let index = slot(of: record.key)
        let fix = LastFix(
            position: TripEta.Position(
                coordinate: estimate.coordinate, headingDegrees: estimate.headingDegrees,
                speedMetersPerSecond: estimate.speedMetersPerSecond, accuracyMeters: estimate.accuracyMeters,
                fixedAt: verdict.fixedAt),
            isHalted: estimate.isHalted, confidence: estimate.confidence, occupancyPercent: verdict.occupancyPercent,
            hasLaterFix: verdict.hasLaterFix,
            receivedAt: max(record.timestamp, verdict.receivedAt))
        states[index].lastFix = fix
        extendTrail(index, by: fix, at: record.timestamp)
        let current = states[index].current
        if let current { advanceAndLearn(current, by: fix, verdict.eventID, at: record.timestamp, into: &outputs) }
        if let next = states[index].next {
            next.trip.chain(after: current?.trip)
            // Road speeds are learned from the current trip, or without it from the next one.
            if current == nil {
                advanceAndLearn(next, by: fix, verdict.eventID, at: record.timestamp, into: &outputs)
            } else {
                advance(
                    next, by: fix, verdict.eventID, verdict.eventID.withMessage(1), at: record.timestamp,
                    into: &outputs)
            }
        }
        if !states[index].settling.isEmpty {
            settle(index, by: fix, verdict.eventID, at: record.timestamp, into: &outputs)
        }
    }

    /// Advances the trip that is being driven, and learns road speeds from it.
    private func advanceAndLearn(
        _ entry: TripEntry, by fix: LastFix, _ verdict: EventID, at time: Timestamp, into outputs: inout OutputBatch
    ) {
        learner.beginObservation(at: verdict)
        advance(entry, by: fix, verdict, verdict, at: time, into: &outputs)
        learner.endObservation()
    }

    private func advance(
        _ entry: TripEntry, by fix: LastFix, _ verdict: EventID, _ event: EventID,
        at time: Timestamp, into outputs: inout OutputBatch
    ) {
        if let seen = entry.seen, !verdict.isAfter(seen) { return }
        entry.seen = verdict
        // Learned speeds belong to the trip's progress, and may change only if a record follows.
        if entry.trip.needsExpectations(at: fix.receivedAt) {
            entry.trip.updateExpectations(from: learner.table, at: fix.receivedAt)
        }
        entry.trip.update(with: fix)
        counts[Self.evictionSlot] += learner.learn(from: entry.trip)
        if !learner.observation.isEmpty { counts[Self.observationSlot] += 1 }
        append(entry.trip.eta(at: fix.receivedAt), of: entry, event, at: time, into: &outputs)
    }

    // MARK: Drivers

    func slot(of key: ByteSlice) -> Int { drivers.slot(of: key, in: &states, blank: Driver()) }

    /// Evicts drivers without a trip and without a record for ``memoryMilliseconds``, once per minute of stream time.
    private func sweepIfDue() {
        guard streamTime.milliseconds - 60_000 >= sweptAt.milliseconds else { return }
        sweptAt = streamTime
        for index in 0..<drivers.capacity where drivers.contains(index: index) && states[index].ledger.isEmpty {
            let seenAt = max(states[index].messageAt, states[index].lastFix?.receivedAt ?? states[index].messageAt)
            guard seenAt.milliseconds < streamTime.milliseconds - memoryMilliseconds else { continue }
            drivers.remove(at: index)
            states[index] = Driver()
        }
    }

    // MARK: Outputs

    func append(
        _ eta: consuming TripEta, of entry: TripEntry, _ event: EventID, at time: Timestamp,
        into outputs: inout OutputBatch
    ) {
        appendWarning(of: entry, event, at: time, into: &outputs)
        ByteSlice.withBytes(of: eta.tripID) {
            outputs.begin(topic: Topic.etas, event: event, timestamp: time, key: $0)
        }
        outputs.writeValue { TripEtaWriter.write(event: event, eta: &eta, into: &$0) }
        outputs.writeHeader(RecordHeader.state) {
            RestoredTrip.write(tripsPosition: tripsPosition, entry: entry, observation: learner.observation, into: &$0)
        }
    }

    /// Writes the trip's pending warning, if any, before the record whose state marks it as sent.
    func appendWarning(of entry: TripEntry, _ event: EventID, at time: Timestamp, into outputs: inout OutputBatch) {
        guard let warning = entry.trip.popWarning() else { return }
        let message = entry.trip.message
        ByteSlice.withBytes(of: message.tripID) { trip in
            outputs.begin(topic: Topic.warnings, event: event, timestamp: time, key: trip)
            ByteSlice.withBytes(of: message.driverID) { driver in
                outputs.writeValue {
                    TripWarningWriter.write(
                        event: event, tripID: trip, driverID: driver, warning: warning, at: time, into: &$0)
                }
            }
        }
    }
}

extension ActiveTrip {
    func update(with fix: EtaProcessor.LastFix) {
        update(
            position: fix.position, isHalted: fix.isHalted, confidence: fix.confidence,
            occupancyPercent: fix.occupancyPercent, hasLaterFix: fix.hasLaterFix, at: fix.receivedAt)
    }
}
