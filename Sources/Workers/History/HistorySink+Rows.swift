import Codec
import Domain
import Postgres
import Processing
import Support

/// Copies the rows to their tables: one `COPY` per table and transaction, sent while further rows are encoded.
extension HistorySink {
    func copyLocations(_ write: inout HistoryWrite, _ meanwhile: () -> Void) throws {
        smoothedRows.removeAll()
        smoothedRows.appendHeader()
        try copy(HistoryTables.locations, from: .locations, &write, meanwhile, appendLocation)
        try finish(HistoryTables.smoothed, &smoothedRows, &write, meanwhile)
    }

    /// - Returns: whether a row of `location_history` was appended.
    private func appendLocation(_ record: InputRecord, _ locked: inout LockedBatch, _ report: inout SinkReport) -> Bool
    {
        let verdict = record.value.flatMap(verdicts.read)
        let event = locked.event(of: record, &report) { _ in verdict?.eventID }
        let isKept = event != nil && verdict.map(keeps) ?? false
        if let event {
            if let verdict {
                if isKept { HistoryTables.locations.append((verdict, event), to: &buffer) }
            } else {
                report.unreadable += 1
            }
        }
        guard let smoothing = locked.smoothing else { return isKept }
        smoothing.advance(to: record) { driver, label, fix in
            if label.isKept { HistoryTables.smoothed.append((fix, driver, label), to: &smoothedRows) }
        }
        if let verdict {
            smoothing.append(
                verdict, of: record, isKept: event == nil ? wasKept(record.event ?? verdict.eventID) : isKept)
        }
        return isKept
    }

    private func keeps(_ verdict: VerdictRecord) -> Bool {
        guard configuration.thinsFixes, let estimate = verdict.estimate else { return true }
        return fixSampler.keeps(driver: verdict.driverID, at: verdict.fixedAt, coordinate: estimate.coordinate)
    }

    func copyWarnings(_ write: inout HistoryWrite, _ meanwhile: () -> Void) throws {
        try copy(HistoryTables.warnings, from: .warnings, &write, meanwhile) { record, batch, report in
            guard let event = batch.event(of: record, &report, { warnings.read($0)?.eventID }) else { return false }
            guard let warning = record.value.flatMap(warnings.read) else { return report.addUnreadable() }
            HistoryTables.warnings.append((warning, event), to: &buffer)
            return true
        }
    }

    /// Copies trip events, and collects arrival times, which are copied afterwards.
    func copyTrips(_ write: inout HistoryWrite, _ meanwhile: () -> Void) throws {
        etaRows.removeAll()
        etaRows.appendHeader()
        try copy(HistoryTables.tripEvents, from: .tripEtas, &write, meanwhile) { record, batch, report in
            guard let event = batch.event(of: record, &report, { etas.read($0, into: &eta) }) else { return false }
            return appendTrip(record, event) || report.addUnreadable()
        }
        try finish(HistoryTables.etas, &etaRows, &write, meanwhile)
    }

    /// Copies rows that were collected during another copy, if there are any.
    private func finish(
        _ table: HistoryTable<some Any>, _ rows: inout CopyBuffer, _ write: inout HistoryWrite, _ meanwhile: () -> Void
    ) throws {
        guard rows.bytes.count > CopyBuffer.headerByteCount else { return }
        rows.appendTrailer()
        try write.connection.startCopyIn(table.copyStatement)
        try write.connection.sendCopyData(&rows)
        write.report.written += try write.connection.finishCopyIn(meanwhile: meanwhile)
    }

    func copyTripWarnings(_ write: inout HistoryWrite, _ meanwhile: () -> Void) throws {
        try copy(HistoryTables.tripWarnings, from: .tripWarnings, &write, meanwhile) { record, batch, report in
            guard let event = batch.event(of: record, &report, { tripWarnings.read($0)?.eventID }) else { return false }
            guard let warning = record.value.flatMap(tripWarnings.read) else { return report.addUnreadable() }
            HistoryTables.tripWarnings.append((warning, event), to: &buffer)
            return true
        }
    }

    /// - Returns: `false` if the record is unreadable.
    private func appendTrip(_ record: InputRecord, _ event: EventID) -> Bool {
        // Records of trip messages contain changes, as do corrections of an ended trip's distance.
        // Only one of the other records is parsed per window.
        guard
            event.origin == .trips || etaSampler.startsWindow(trip: record.key, at: record.timestamp)
                || record.value.map(TripEtaReader.mayHaveChange) == true
        else { return true }
        guard let value = record.value, etas.read(value, into: &eta) != nil else { return false }
        if let change = eta.change { HistoryTables.tripEvents.append((eta, change, event), to: &buffer) }
        let isSample = etaSampler.startsWindow(trip: record.key, at: eta.computedAt)
        var hasPrediction = false
        for index in eta.stops.indices {
            let isAppended = appendEta(of: record.key, stop: index, isSample: isSample, event: event)
            hasPrediction = hasPrediction || isAppended
        }
        if hasPrediction { etaSampler.startWindow(trip: record.key, at: eta.computedAt) }
        return true
    }

    /// - Returns: whether a prediction was appended.
    private func appendEta(of trip: ByteSlice, stop index: Int, isSample: Bool, event: EventID) -> Bool {
        let stop = eta.stops[index]
        switch stop.status {
        case .passed:
            if etaSampler.isNewlyPassed(trip: trip, stop: index) {
                let arrivesAt = stop.arrivesAt ?? eta.computedAt
                HistoryTables.etas.append((eta, stop, index, arrivesAt, event), to: &etaRows)
            }
            return false
        case .valid:
            // A stale vehicle has no new predictions.
            guard isSample, !eta.isStale, let arrivesAt = stop.arrivesAt,
                stop.seconds ?? .max <= configuration.etaHorizonSeconds
            else { return false }
            HistoryTables.etas.append((eta, stop, index, arrivesAt, event), to: &etaRows)
            return true
        case .unavailable: return false
        }
    }

    /// Copies the rows that `append` adds to ``buffer`` for the records of `topic`, and counts them.
    ///
    /// `append` returns `true` if it may have added a row. Rows are sent in chunks; without rows there is no `COPY`.
    private func copy(
        _ table: HistoryTable<some Any>, from topic: PipelineTopic, _ write: inout HistoryWrite,
        _ meanwhile: () -> Void,
        _ append: (InputRecord, inout LockedBatch, inout SinkReport) -> Bool
    ) throws {
        buffer.removeAll()
        buffer.appendHeader()
        let (empty, connection) = (buffer.bytes.count, write.connection)
        var isOpen = false
        func send() throws {
            if !isOpen { try connection.startCopyIn(table.copyStatement) }
            isOpen = true
            try connection.sendCopyData(&buffer)
        }
        for index in write.locked.indices where write.locked[index].batch.partition.topic == topic.rawValue {
            for record in write.locked[index].batch.records
            where append(record, &write.locked[index], &write.report) {
                if buffer.bytes.count >= PostgresConnection.copyChunkByteCount { try send() }
            }
        }
        guard isOpen || buffer.bytes.count > empty else { return }
        buffer.appendTrailer()
        try send()
        write.report.written += try connection.finishCopyIn(meanwhile: meanwhile)
    }
}

extension SinkReport {
    /// - Returns: `false`, because an unreadable record has no row.
    fileprivate mutating func addUnreadable() -> Bool {
        unreadable += 1
        return false
    }
}
