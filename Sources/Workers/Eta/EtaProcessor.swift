import ArrivalTimes
import Codec
import Model
import Processing
import Support

/// Joins verdicts with trips and writes what is known of each trip: progress, arrival times, delay, staleness.
///
/// A record follows every judged location of a driver on a trip (accepted, or throttled with an estimate), every change of a trip, and those punctuations by
/// which something changes for a reader. Each carries the trip's progress, from which a restored partition resumes.
/// Plans come back from the trips topic, which is replayed first. What the partition's trips teach about roads is
/// in ``RoadSpeedLearner``.
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
        static let paces = 2
        static let warnings = 3
    }

    /// The last judged position of a driver, for a trip that begins between two fixes.
    struct LastFix {
        var position: TripEta.Position
        var isHalted: Bool
        var confidence: Confidence
        var occupancyPercent: Int?
        /// A later fix of the same upload follows.
        var isFollowed: Bool
        /// Its receipt: the time of the partition, or ahead of it where that has not followed the receipt.
        var receivedAt: Timestamp
    }

    struct Driver {
        var ledger = TripLedger()
        var current: HeldTrip?
        var next: HeldTrip?
        /// Trips that have ended and whose late fixes are still counted; the first ended first.
        var settling: [HeldTrip] = []
        var trail = DistanceTrail()
        var lastFix: LastFix?
        /// When the last message of the trips topic came.
        var messageAt = Timestamp(milliseconds: .min)
    }

    package var counts: [Int]
    package internal(set) var unreadable = UnreadableStates()

    private let stateForm: StateForm
    let memoryMilliseconds: Int64
    let estimator: ArrivalEstimator
    var drivers = KeyTable()
    var states: ContiguousArray<Driver> = []
    /// Progress read back from the changelog, until the replayed trips topic has brought the plan.
    var restored: [RestoredTrip.Key: RestoredTrip] = [:]
    /// The time of the last changelog record read back.
    var restoredAt: Timestamp?
    var learning: RoadSpeedLearner
    /// The last event of each origin answered.
    var clock = Watermark()
    /// The offset after the last trip message taken in.
    var tripsPosition: Int64 = 0

    private let verdicts = VerdictReader()
    let trips = TripReader()
    let deadLetter = DeadLetter(
        topic: PipelineTopic.trips.rawValue, stage: "eta", processor: "TripLedger", output: Topic.deadLetters)
    var streamTime = Timestamp(milliseconds: .min)
    private var sweptAt = Timestamp(milliseconds: .min)

    /// A stage for the partition whose records it will be given.
    package init(
        partition: Int32, arrival: ArrivalSettings, memorySeconds: Double, stateForm: StateForm = .current
    ) {
        self.stateForm = stateForm
        memoryMilliseconds = Int64(memorySeconds * 1000)
        estimator = ArrivalEstimator(settings: arrival)
        learning = RoadSpeedLearner(
            partition: partition, settings: arrival.paces, memoryMilliseconds: memoryMilliseconds)
        counts = Array(repeating: 0, count: Self.counterDefinitions.count)
    }

    package func process(_ record: InputRecord, into outputs: inout OutputBatch) {
        letTimePass(to: record.timestamp, into: &outputs)
        if record.input == Input.trips {
            processTrip(record, into: &outputs)
        } else {
            processLocation(record, into: &outputs)
        }
        sweepIfDue()
    }

    package func punctuate(now: Timestamp, into outputs: inout OutputBatch) {
        letTimePass(to: now, into: &outputs)
        for index in states.indices {
            if let current = states[index].current { punctuate(current, now: now, into: &outputs) }
            if let next = states[index].next { punctuate(next, now: now, into: &outputs) }
            if !states[index].settling.isEmpty { endSettlements(index, now: now, into: &outputs) }
        }
    }

    private func letTimePass(to time: Timestamp, into outputs: inout OutputBatch) {
        streamTime = max(streamTime, time)
        learning.checkpointIfDue(at: streamTime, topic: Topic.paces, into: &outputs)
    }

    private func punctuate(_ held: HeldTrip, now: Timestamp, into outputs: inout OutputBatch) {
        // Punctuations count from the last location of the partition; before the first there is nothing to grow old.
        guard let event = clock.raw?.nextPunctuation, let eta = held.trip.punctuate(at: now) else { return }
        clock.advance(to: event)
        append(eta, of: held, event, at: now, into: &outputs)
    }

    // MARK: Locations

    private func processLocation(_ record: InputRecord, into outputs: inout OutputBatch) {
        guard let value = record.value, let verdict = verdicts.read(value) else {
            counts[Self.unreadableSlot] += 1
            return
        }
        clock.advance(to: verdict.eventID)
        // A device that names no trip is throttled on one as well, and its fix judged all the same: only here it is known
        // whether there is a trip. Fail closed: to riders a forger's vehicle goes silent, and stale, rather than where it says it is.
        guard let estimate = verdict.estimate, !verdict.reasons.contains(.flagged) else { return }
        let index = slot(of: record.key)
        let fix = LastFix(
            position: TripEta.Position(
                coordinate: estimate.coordinate, headingDegrees: estimate.headingDegrees,
                speedMetersPerSecond: estimate.speedMetersPerSecond, accuracyMeters: estimate.accuracyMeters,
                fixedAt: verdict.fixedAt),
            isHalted: estimate.isHalted, confidence: estimate.confidence, occupancyPercent: verdict.occupancyPercent,
            isFollowed: verdict.isFollowed,
            receivedAt: max(record.timestamp, verdict.receivedAt))
        states[index].lastFix = fix
        extendTrail(index, by: fix, at: record.timestamp)
        let current = states[index].current
        if let current { drive(current, by: fix, verdict.eventID, at: record.timestamp, into: &outputs) }
        if let next = states[index].next {
            next.trip.follow(current?.trip)
            // One drive over a road is one lesson, whichever trips see it.
            if current == nil {
                drive(next, by: fix, verdict.eventID, at: record.timestamp, into: &outputs)
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

    /// Takes a location into the trip that is driven, and has the partition learn from it.
    private func drive(
        _ held: HeldTrip, by fix: LastFix, _ verdict: EventID, at time: Timestamp, into outputs: inout OutputBatch
    ) {
        learning.beginLesson(at: verdict)
        advance(held, by: fix, verdict, verdict, at: time, into: &outputs)
        learning.endLesson()
    }

    private func advance(
        _ held: HeldTrip, by fix: LastFix, _ verdict: EventID, _ event: EventID, at time: Timestamp,
        into outputs: inout OutputBatch
    ) {
        if let seen = held.seen, !verdict.isAfter(seen) { return }
        held.seen = verdict
        // Only with records: what a trip takes over here is written to the changelog as part of its progress.
        if held.trip.expectsAnew(at: fix.receivedAt) {
            held.trip.learnPaces(from: learning.memory, at: fix.receivedAt)
        }
        held.trip.take(fix)
        learn(from: held.trip)
        append(held.trip.eta(at: fix.receivedAt), of: held, event, at: time, into: &outputs)
    }

    private func learn(from trip: ActiveTrip) {
        counts[Self.evictionSlot] += learning.learnPaces(from: trip)
        if !learning.lesson.isEmpty { counts[Self.lessonSlot] += 1 }
    }

    // MARK: Parts

    func slot(of key: ByteSlice) -> Int { drivers.slot(of: key, in: &states, blank: Driver()) }

    /// Once a minute of stream time, frees the drivers without a trip who have not been heard of for the stage's
    /// memory.
    private func sweepIfDue() {
        guard streamTime.milliseconds - 60_000 >= sweptAt.milliseconds else { return }
        sweptAt = streamTime
        for index in 0..<drivers.capacity where drivers.contains(index: index) && states[index].ledger.isEmpty {
            let heard = max(states[index].messageAt, states[index].lastFix?.receivedAt ?? states[index].messageAt)
            guard heard.milliseconds < streamTime.milliseconds - memoryMilliseconds else { continue }
            drivers.remove(at: index)
            states[index] = Driver()
        }
    }

    func append(
        _ eta: consuming TripEta, of held: HeldTrip, _ event: EventID, at time: Timestamp,
        into outputs: inout OutputBatch
    ) {
        appendWarning(of: held, event, at: time, into: &outputs)
        ByteSlice.withBytes(of: eta.tripID) {
            outputs.begin(topic: Topic.etas, clock: event, timestamp: time, key: $0)
        }
        outputs.writeValue { TripEtaWriter.write(event: event, eta: &eta, into: &$0) }
        outputs.writeHeader(RecordHeader.state) {
            RestoredTrip.write(
                tripsPosition: tripsPosition, held: held, lesson: learning.lesson, as: stateForm, into: &$0)
        }
    }

    /// Writes what the trip is to be warned of, if anything: under the event that raised or ended it, before the record
    /// whose state contains that it was told.
    func appendWarning(of held: HeldTrip, _ event: EventID, at time: Timestamp, into outputs: inout OutputBatch) {
        guard let warning = held.trip.takeWarning() else { return }
        let message = held.trip.message
        ByteSlice.withBytes(of: message.tripID) { trip in
            outputs.begin(topic: Topic.warnings, clock: event, timestamp: time, key: trip)
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
    /// Takes in a position with all that belongs to it.
    func take(_ fix: EtaProcessor.LastFix) {
        update(
            position: fix.position, isHalted: fix.isHalted, confidence: fix.confidence,
            occupancyPercent: fix.occupancyPercent, isFollowed: fix.isFollowed, at: fix.receivedAt)
    }
}
