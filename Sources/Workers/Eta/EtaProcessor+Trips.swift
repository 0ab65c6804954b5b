import Domain
import Processing
import Support

extension EtaProcessor {
    func processTrip(_ record: InputRecord, into outputs: inout OutputBatch) {
        guard record.offset >= tripsPosition else { return }
        tripsPosition = record.offset + 1
        let event = EventID(origin: .trips, partition: record.partition, offset: record.offset)
        newestEvents.advance(to: event)
        switch trips.read(key: record.key, value: record.value) {
        case .trip(let message):
            apply(message.dated(atLatest: record.timestamp), driverSlot(for: record), record, event, into: &outputs)
        case .tripWithoutFacts(let message, let reason):
            apply(message.dated(atLatest: record.timestamp), driverSlot(for: record), record, event, into: &outputs)
            counts[Self.counter(of: reason)] += 1
            // Dropped if `TripLedger` rejected the message, whose dead letter has the same event
            // id.
            let text = reason.text(field: "facts", key: record.key, value: record.value ?? .empty, format: .trips)
            deadLetter.write(
                record, event: event, code: reason.code,
                message: "The message was applied without its new facts: \(text)", field: "facts", into: &outputs)
        case .tombstone: endAll(driverSlot(for: record), record, event, into: &outputs)
        case .unreadable(let reason, let detail):
            counts[Self.counter(of: reason)] += 1
            deadLetter.write(record, event: event, reason: reason, field: detail, format: .trips, into: &outputs)
        }
    }

    /// Returns the slot of the record's driver, and stores the time of the message.
    ///
    /// The driver and the ended trips are then kept for another ``memoryMilliseconds``.
    private func driverSlot(for record: InputRecord) -> Int {
        let index = slot(of: record.key)
        states[index].messageAt = max(states[index].messageAt, record.timestamp)
        return index
    }

    private func apply(
        _ message: TripMessage, _ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch
    ) {
        let step = states[index].ledger.apply(message)
        let displaced = step.displaced.flatMap { removeTrip($0.tripID, index) }
        publish(step, message, index, record, event, into: &outputs)
        guard let displaced else { return }
        displaced.trip.endWarning(at: record.timestamp)
        // Message numbers 0 and 1 belong to the remaining trips.
        let last = event.withMessage(2)
        guard displaced.trip.message.kind == .transit else {
            return appendWarning(of: displaced, last, at: record.timestamp, into: &outputs)
        }
        // This record removes the vehicle from its route.
        let eta = displaced.trip.displacedEta(at: record.timestamp)
        append(eta, of: displaced, last, at: record.timestamp, into: &outputs)
    }

    private func publish(
        _ step: TripLedger.Step, _ message: TripMessage, _ index: Int, _ record: InputRecord, _ event: EventID,
        into outputs: inout OutputBatch
    ) {
        switch step.outcome {
        case .repeated:
            return
        case .rejected(let rejection):
            counts[Self.counter(of: rejection)] += 1
            deadLetter.write(
                record, event: event, code: rejection.code,
                message: rejection.text(of: message, current: step.conflict),
                into: &outputs)
        case .ended:
            end(message, index, record, event, into: &outputs)
            if step.promotedNext { startNextTrip(index, record, event.withMessage(1), into: &outputs) }
            limitSettlements(index, event.withMessage(3), at: record.timestamp, into: &outputs)
        case .began(let slot), .changed(let slot, _), .updated(let slot):
            let before = states[index].next
            let entry = update(message, index, slot, at: record.timestamp)
            publish(entry, index, record, event, into: &outputs)
            // The current trip moved back in the queue, so the two trips have swapped their slots.
            guard let before, before === states[index].current, before !== entry else { return }
            publish(before, index, record, event.withMessage(1), into: &outputs)
        }
    }

    /// Writes the state of a trip after a message, if it was not written before the restart.
    private func publish(
        _ entry: TripEntry, _ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch
    ) {
        if restore(entry, replaying: record.offset) { return }
        entry.trip.updateExpectations(from: learner.table, at: record.timestamp)
        startFromLastFix(entry, index, at: record.timestamp)
        countDistance(of: entry, index, at: record.timestamp)
        append(entry.trip.eta(at: record.timestamp), of: entry, event, at: record.timestamp, into: &outputs)
    }

    /// Applies a message to its trip and puts the trip into `slot`.
    private func update(
        _ message: TripMessage, _ index: Int, _ slot: TripLedger.Slot, at time: Timestamp
    ) -> TripEntry {
        let entry = removeTrip(for: message, index, at: time)
        switch slot {
        case .current: states[index].current = entry
        case .next:
            if let other = states[index].next {
                states[index].current = other
                other.trip.chain(after: nil)
            }
            states[index].next = entry
        }
        entry.trip.chain(after: slot == .next ? states[index].current?.trip : nil)
        return entry
    }

    private func end(
        _ message: TripMessage, _ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch
    ) {
        let entry = removeTrip(for: message, index, at: record.timestamp)
        let isPublished = restore(entry, replaying: record.offset)
        restored[RestoredTrip.Key(of: entry)] = nil
        if !isPublished {
            countDistance(of: entry, index, at: record.timestamp)
            append(entry.trip.eta(at: record.timestamp), of: entry, event, at: record.timestamp, into: &outputs)
        }
        beginSettlement(of: entry, index, isPublished: isPublished, at: record.timestamp)
    }

    /// Cancels all trips of a driver after a tombstone, because the trip service has deleted them.
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

    private func startNextTrip(_ index: Int, _ record: InputRecord, _ event: EventID, into outputs: inout OutputBatch) {
        guard let entry = states[index].next else { return }
        states[index].next = nil
        states[index].current = entry
        entry.trip.chain(after: nil)
        publish(entry, index, record, event, into: &outputs)
    }

    /// Removes the trip of a message from its slot, and applies the message; creates an unknown trip.
    private func removeTrip(for message: TripMessage, _ index: Int, at time: Timestamp) -> TripEntry {
        guard let entry = removeTrip(message.tripID, index) else {
            return TripEntry(ActiveTrip(message, estimator: estimator, at: time), seen: newestEvents.raw)
        }
        entry.trip.change(message, at: time)
        return entry
    }

    /// Removes a trip from its slot; returns `nil` if the driver does not have it.
    private func removeTrip(_ tripID: String, _ index: Int) -> TripEntry? {
        if let entry = states[index].current, entry.trip.message.tripID == tripID {
            states[index].current = nil
            return entry
        }
        if let entry = states[index].next, entry.trip.message.tripID == tripID {
            states[index].next = nil
            return entry
        }
        return nil
    }

    /// Updates a trip that has no position with the driver's last fix, if the fix is recent enough.
    private func startFromLastFix(_ entry: TripEntry, _ index: Int, at time: Timestamp) {
        guard entry.trip.progress.position == nil, let fix = states[index].lastFix,
            time.milliseconds - fix.receivedAt.milliseconds < memoryMilliseconds
        else { return }
        entry.trip.update(with: fix)
    }
}
