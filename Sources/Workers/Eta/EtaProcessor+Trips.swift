import ArrivalTimes
import Model
import Processing
import Support

extension EtaProcessor {
    /// Takes in one record of the trips topic.
    func processTrip(_ record: InputRecord, into outputs: inout OutputBatch) {
        guard record.offset >= tripsPosition else { return }
        tripsPosition = record.offset + 1
        let event = EventID(origin: .trips, partition: record.partition, offset: record.offset)
        clock.advance(to: event)
        switch trips.read(key: record.key, value: record.value) {
        case .trip(let message):
            follow(message.dated(atLatest: record.timestamp), hear(record), record, event, into: &outputs)
        case .tripWithoutFacts(let message, let reason):
            follow(message.dated(atLatest: record.timestamp), hear(record), record, event, into: &outputs)
            counts[Self.counter(of: reason)] += 1
            // Not written where the ledger refused the message: that dead letter has the same event.
            let text = reason.text(field: "facts", key: record.key, value: record.value ?? .empty, form: .trips)
            deadLetter.write(
                record, clock: event, code: reason.code,
                message: "The trip is followed without its new facts: \(text)", field: "facts", into: &outputs)
        case .tombstone: endAll(hear(record), record, event, into: &outputs)
        case .unreadable(let reason, let detail):
            counts[Self.counter(of: reason)] += 1
            deadLetter.write(record, clock: event, reason: reason, field: detail, form: .trips, into: &outputs)
        }
    }

    /// The number of the record's driver, who is remembered from now on for the stage's memory: what ended is known
    /// for so long, also of a driver who never sent a location.
    private func hear(_ record: InputRecord) -> Int {
        let index = slot(of: record.key)
        states[index].messageAt = max(states[index].messageAt, record.timestamp)
        return index
    }

    private func follow(
        _ message: TripMessage, _ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch
    ) {
        let step = states[index].ledger.apply(message)
        let displaced = step.displaced.flatMap { drop($0.tripID, index) }
        follow(message, step, index, record, event, into: &outputs)
        guard let displaced else { return }
        displaced.trip.abandon(at: record.timestamp)
        // After the messages of the trips that go on.
        let last = event.withMessage(2)
        guard displaced.trip.message.kind == .transit else {
            return appendWarning(of: displaced, last, at: record.timestamp, into: &outputs)
        }
        // Its vehicle is still shown on its route.
        let eta = displaced.trip.displacedEta(at: record.timestamp)
        append(eta, of: displaced, last, at: record.timestamp, into: &outputs)
    }

    private func follow(
        _ message: TripMessage, _ step: TripLedger.Step, _ index: Int, _ record: InputRecord, _ event: EventID,
        into outputs: inout OutputBatch
    ) {
        switch step.outcome {
        case .repeated:
            return
        case .rejected(let rejection):
            counts[Self.counter(of: rejection)] += 1
            deadLetter.write(
                record, clock: event, code: rejection.code, message: rejection.text(of: message, held: step.held),
                into: &outputs)
        case .ended:
            end(message, index, record, event, into: &outputs)
            if step.movedUp { moveUp(index, record, event.withMessage(1), into: &outputs) }
            limitSettlements(index, event.withMessage(3), at: record.timestamp, into: &outputs)
        case .began(let slot), .changed(let slot, _), .updated(let slot):
            let before = states[index].next
            let held = change(message, index, slot, at: record.timestamp)
            answer(held, index, record, event, into: &outputs)
            // The trip that was driven has been put back, and the two have changed places.
            guard let before, before === states[index].current, before !== held else { return }
            answer(before, index, record, event.withMessage(1), into: &outputs)
        }
    }

    /// Writes what is known of a trip after a message, unless that was written before the restart.
    private func answer(
        _ held: HeldTrip, _ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch
    ) {
        if restore(held, before: record.offset) { return }
        held.trip.learnPaces(from: learning.memory, at: record.timestamp)
        takeLastFix(held, index, at: record.timestamp)
        countDistance(of: held, index, at: record.timestamp)
        append(held.trip.eta(at: record.timestamp), of: held, event, at: record.timestamp, into: &outputs)
    }

    /// The trip that `message` is about, with the message taken in, in its slot.
    private func change(_ message: TripMessage, _ index: Int, _ slot: TripLedger.Slot, at time: Timestamp) -> HeldTrip {
        let held = take(message, index, at: time)
        switch slot {
        case .current: states[index].current = held
        case .next:
            if let other = states[index].next {
                states[index].current = other
                other.trip.follow(nil)
            }
            states[index].next = held
        }
        held.trip.follow(slot == .next ? states[index].current?.trip : nil)
        return held
    }

    private func end(
        _ message: TripMessage, _ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch
    ) {
        let held = take(message, index, at: record.timestamp)
        let isAnswered = restore(held, before: record.offset)
        restored[RestoredTrip.Key(of: held)] = nil
        restored[RestoredTrip.Key(tripID: message.tripID, driverID: "")] = nil
        if !isAnswered {
            countDistance(of: held, index, at: record.timestamp)
            append(held.trip.eta(at: record.timestamp), of: held, event, at: record.timestamp, into: &outputs)
        }
        beginSettlement(of: held, index, isAnswered: isAnswered, at: record.timestamp)
    }

    /// A tombstone: the trip service knows nothing of this driver's trips any more, so riders must not wait for them.
    private func endAll(_ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch) {
        for (number, trip) in states[index].ledger.end().enumerated() {
            var last = trip
            last.state = .cancelled
            last.stage = nil
            last.triggeredBy = "TOMBSTONE"
            last.changedAt = record.timestamp
            last.version = nil
            end(last, index, record, event.withMessage(number), into: &outputs)
        }
        limitSettlements(index, event.withMessage(3), at: record.timestamp, into: &outputs)
    }

    private func moveUp(_ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch) {
        guard let held = states[index].next else { return }
        states[index].next = nil
        states[index].current = held
        held.trip.follow(nil)
        answer(held, index, record, event, into: &outputs)
    }

    /// Takes the message in and the trip out of its slot; a trip not held yet begins.
    private func take(_ message: TripMessage, _ index: Int, at time: Timestamp) -> HeldTrip {
        let known = [states[index].current, states[index].next].compactMap { $0 }
            .first { $0.trip.message.tripID == message.tripID }
        guard let known else { return HeldTrip(ActiveTrip(message, estimator: estimator, at: time), seen: clock.raw) }
        known.trip.change(message, at: time)
        drop(message.tripID, index)
        return known
    }

    /// Takes a trip out of its slot; `nil` when it was in none.
    @discardableResult
    private func drop(_ tripID: String, _ index: Int) -> HeldTrip? {
        var dropped: HeldTrip?
        if let current = states[index].current, current.trip.message.tripID == tripID {
            dropped = current
            states[index].current = nil
        }
        if let next = states[index].next, next.trip.message.tripID == tripID {
            dropped = next
            states[index].next = nil
        }
        return dropped
    }

    /// A trip that begins between two fixes starts from the last one.
    private func takeLastFix(_ held: HeldTrip, _ index: Int, at time: Timestamp) {
        guard held.trip.progress.position == nil, let fix = states[index].lastFix,
            time.milliseconds - fix.receivedAt.milliseconds < memoryMilliseconds
        else { return }
        held.trip.take(fix)
    }
}
