import Codec
import Model
import Postgres
import Processing
import Support

/// The copies: one per table and transaction, rows sent while the next are encoded.
extension HistorySink {
    func copyLocations(
        _ held: inout [HeldBatch], _ connection: PostgresConnection, _ report: inout SinkReport,
        _ meanwhile: () -> Void
    ) throws {
        smoothedRows.removeAll()
        smoothedRows.appendHeader()
        let rows = try copy(.locations, connection, meanwhile) { send in
            for index in held.indices where held[index].batch.partition.topic == PipelineTopic.locations.rawValue {
                for record in held[index].batch.records {
                    if appendLocation(record, &held[index], &report) { try send() }
                }
            }
        }
        report.written += rows
        report.written += try finish(.smoothed, &smoothedRows, connection, meanwhile)
    }

    /// - Returns: whether the record makes a row.
    private func appendLocation(_ record: InputRecord, _ held: inout HeldBatch, _ report: inout SinkReport) -> Bool {
        let verdict = record.value.flatMap(verdicts.read)
        let event = held.event(of: record, &report) { _ in verdict?.eventID }
        let isKept = event != nil && verdict.map(keeps) ?? false
        if let event {
            if let verdict {
                if isKept { buffer.appendLocation(verdict, event: event) }
            } else {
                report.unreadable += 1
            }
        }
        guard let smoothing = held.smoothing else { return isKept }
        smoothing.advance(to: record) { driver, label, fix in
            if label.isKept { smoothedRows.appendSmoothed(fix, of: driver, label) }
        }
        if let verdict {
            smoothing.append(
                verdict, of: record, isKept: event == nil ? wasKept(record.clock ?? verdict.eventID) : isKept)
        }
        return isKept
    }

    private func keeps(_ verdict: VerdictRecord) -> Bool {
        guard configuration.thinsFixes, let estimate = verdict.estimate else { return true }
        return fixSampler.keeps(driver: verdict.driverID, at: verdict.fixedAt, coordinate: estimate.coordinate)
    }

    func copyWarnings(
        _ held: inout [HeldBatch], _ connection: PostgresConnection, _ report: inout SinkReport,
        _ meanwhile: () -> Void
    ) throws {
        let rows = try copy(.warnings, connection, meanwhile) { send in
            for index in held.indices where held[index].batch.partition.topic == PipelineTopic.warnings.rawValue {
                for record in held[index].batch.records {
                    guard let event = held[index].event(of: record, &report, { warnings.read($0)?.eventID }) else {
                        continue
                    }
                    guard let value = record.value, let warning = warnings.read(value) else {
                        report.unreadable += 1
                        continue
                    }
                    buffer.appendWarning(warning, event: event)
                    try send()
                }
            }
        }
        report.written += rows
    }

    /// Trip events are sent as they are read; the promises among them wait for the copy after.
    func copyTrips(
        _ held: inout [HeldBatch], _ connection: PostgresConnection, _ report: inout SinkReport,
        _ meanwhile: () -> Void
    ) throws {
        etaRows.removeAll()
        etaRows.appendHeader()
        let rows = try copy(.tripEvents, connection, meanwhile) { send in
            for index in held.indices where held[index].batch.partition.topic == PipelineTopic.tripEtas.rawValue {
                for record in held[index].batch.records {
                    guard let event = held[index].event(of: record, &report, { etas.read($0, into: &eta) }) else {
                        continue
                    }
                    if appendTrip(record, event) { try send() } else { report.unreadable += 1 }
                }
            }
        }
        report.written += rows
        report.written += try finish(.etas, &etaRows, connection, meanwhile)
    }

    /// Copies rows that have gathered during another copy; no copy where there are none.
    private func finish(
        _ table: HistoryTable, _ rows: inout CopyBuffer, _ connection: PostgresConnection, _ meanwhile: () -> Void
    ) throws -> Int {
        guard rows.bytes.count > CopyBuffer.headerByteCount else { return 0 }
        rows.appendTrailer()
        try connection.startCopyIn(table.copyStatement)
        try connection.sendCopyData(&rows)
        return try connection.finishCopyIn(meanwhile: meanwhile)
    }

    func copyTripWarnings(
        _ held: inout [HeldBatch], _ connection: PostgresConnection, _ report: inout SinkReport,
        _ meanwhile: () -> Void
    ) throws {
        let rows = try copy(.tripWarnings, connection, meanwhile) { send in
            for index in held.indices where held[index].batch.partition.topic == PipelineTopic.tripWarnings.rawValue {
                for record in held[index].batch.records {
                    let event = held[index].event(of: record, &report) { tripWarnings.read($0)?.eventID }
                    guard let event else { continue }
                    guard let warning = record.value.flatMap(tripWarnings.read) else {
                        report.unreadable += 1
                        continue
                    }
                    buffer.appendTripWarning(warning, event: event)
                    try send()
                }
            }
        }
        report.written += rows
    }

    /// - Returns: `false` when the record cannot be read.
    private func appendTrip(_ record: InputRecord, _ event: EventID) -> Bool {
        // Only a record made from a trip message tells of a change; of the others one per window is looked at.
        guard event.origin == .trips || etaSampler.wants(trip: record.key, at: record.timestamp) else { return true }
        guard let value = record.value, etas.read(value, into: &eta) != nil else { return false }
        if let change = eta.change { buffer.appendTripEvent(eta, change, event: event) }
        let isSample = etaSampler.beginsWindow(trip: record.key, at: record.timestamp)
        for index in eta.stops.indices {
            appendEta(of: record.key, stop: index, isSample: isSample, event: event)
        }
        return true
    }

    private func appendEta(of trip: ByteSlice, stop index: Int, isSample: Bool, event: EventID) {
        let stop = eta.stops[index]
        switch stop.status {
        case .passed:
            if etaSampler.isNewlyPassed(trip: trip, stop: index) {
                etaRows.appendEta(
                    eta, stop, index: index, arrivesAt: stop.arrivesAt ?? eta.computedAt, event: event)
            }
        case .valid:
            // No new prediction is made of a vehicle that has sent nothing for minutes.
            if isSample, !eta.isStale, let arrivesAt = stop.arrivesAt,
                stop.seconds ?? .max <= configuration.etaHorizonSeconds
            {
                etaRows.appendEta(eta, stop, index: index, arrivesAt: arrivesAt, event: event)
            }
        case .unavailable: break
        }
    }

    /// Copies the rows that `rows` writes to ``buffer`` into `table` and counts them; no copy where there are none.
    ///
    /// `rows` calls its argument after each row, which sends what has gathered once that is worth it.
    private func copy(
        _ table: HistoryTable, _ connection: PostgresConnection, _ meanwhile: () -> Void,
        _ rows: (() throws -> Void) throws -> Void
    ) throws -> Int {
        buffer.removeAll()
        buffer.appendHeader()
        let empty = buffer.bytes.count
        var isOpen = false
        func send() throws {
            if !isOpen { try connection.startCopyIn(table.copyStatement) }
            isOpen = true
            try connection.sendCopyData(&buffer)
        }
        try rows { if buffer.bytes.count >= PostgresConnection.copyChunkByteCount { try send() } }
        guard isOpen || buffer.bytes.count > empty else { return 0 }
        buffer.appendTrailer()
        try send()
        return try connection.finishCopyIn(meanwhile: meanwhile)
    }
}
