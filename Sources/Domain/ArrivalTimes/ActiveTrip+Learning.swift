import Support

extension ActiveTrip {
    /// Returns whether ``updateExpectations(from:at:)`` is due; checked first, because passing the table costs time.
    package func needsExpectations(at now: Timestamp) -> Bool {
        guard plan.geometry != nil, !progress.state.hasEnded else { return false }
        guard let last = progress.expectedAt else { return true }
        return now.seconds(since: last) >= estimator.settings.expectationSeconds
    }

    /// Stores times expected by learned road speeds, and learned percentiles, in the progress for a restore.
    package func updateExpectations(from table: RoadSpeedTable, at now: Timestamp) {
        guard needsExpectations(at: now), let cells = routeCells() else { return }
        progress.expectedAt = now
        progress.expectedSeconds.removeAll(keepingCapacity: true)
        progress.pieceSeconds.removeAll(keepingCapacity: true)
        let interval = estimator.interval(of: plan)
        table.spreads(of: plan.classKey, rowCount: interval.rows.count, at: now, into: &progress.spreads)
        let ratio = plan.isTimed ? 1 : table.unplannedRatio(of: plan.classKey, at: now)
        progress.expectedSeconds.reserveCapacity(plan.stops.count)
        for leg in plan.stops.indices {
            let learned = learnedSeconds(leg, cells, table, ratio: ratio, at: now)
            let least = plan.legMeters[leg] / estimator.settings.matching.maximumSpeedMetersPerSecond
            progress.expectedSeconds.append(Float(max(least, learned)))
            appendPieces(leg, cells, table, whole: max(least, learned), at: now)
        }
    }

    /// Appends the expected seconds of a leg's pieces, scaled so that their sum is `whole`.
    private func appendPieces(
        _ leg: Int, _ cells: RouteCells, _ table: RoadSpeedTable, whole: Double, at now: Timestamp
    ) {
        let pieces = plan.pieces.pieces(of: leg)
        guard !pieces.isEmpty else { return }
        let length = plan.legMeters[leg] / Double(pieces.count)
        let planned = plan.legSeconds[leg] / Double(pieces.count)
        var sum = 0.0
        for piece in pieces {
            let start = plan.offsets[leg] - Double(pieces.upperBound - piece) * length
            let seconds = table.expected(
                cells, from: start, to: start + length, planned: planned, hasTimetable: plan.hasTimetable, at: now)
            progress.pieceSeconds.append(Float(seconds))
            sum += seconds
        }
        let scale = sum > 0 ? Float(whole / sum) : 0
        for piece in pieces { progress.pieceSeconds[piece] *= scale }
    }

    private func learnedSeconds(
        _ leg: Int, _ cells: RouteCells, _ table: RoadSpeedTable, ratio: Double, at now: Timestamp
    ) -> Double {
        let start = leg == 0 ? 0 : plan.offsets[leg - 1]
        let end = plan.offsets[leg]
        // Speeds learned from scheduled runs include the dwell at the leg's first stop.
        let dwell = leg > 0 && plan.kind == .transit ? plan.dwellSeconds[leg - 1] : 0
        let planned = (plan.legSeconds[leg] + dwell) * ratio
        let road = table.expected(
            cells, from: start, to: end, planned: planned, hasTimetable: plan.hasTimetable, at: now)
        guard plan.kind == .transit, leg > 0 else { return road - dwell }
        return table.expectedLeg(plan.legKeys[leg], meters: end - start, expected: road, at: now) - dwell
    }

    /// Adds the speeds, leg times and estimate errors that the last update observed to `table`.
    package func recordSpeeds(in table: inout RoadSpeedTable) {
        var parts: ContiguousArray<RoadSpeedTable.Part> = []
        guard let time = appendObservedParts(for: table, to: &parts) else { return }
        for part in parts { table.add(part, at: time) }
    }

    /// Appends the parts that ``recordSpeeds(in:)`` adds; returns their time, or `nil` if there are none.
    package func appendObservedParts(
        for table: RoadSpeedTable, to parts: inout ContiguousArray<RoadSpeedTable.Part>
    ) -> Timestamp? {
        guard plan.geometry != nil else { return nil }
        let before = parts.count
        if let stretch = drivenStretch, let cells = routeCells() {
            table.appendParts(
                of: cells, from: stretch.fromMeters, to: stretch.toMeters,
                seconds: stretch.countedSeconds, to: &parts)
            if !plan.isTimed {
                parts.append(
                    RoadSpeedTable.Part(
                        cell: plan.classKey, meters: stretch.plannedSeconds, seconds: stretch.seconds))
            }
        }
        appendLegs(to: &parts)
        appendErrors(to: &parts)
        return parts.count > before ? progress.match.matchedAt : nil
    }

    /// Appends the errors of the estimates whose arrivals the last update observed.
    private func appendErrors(to parts: inout ContiguousArray<RoadSpeedTable.Part>) {
        guard !observedErrors.isEmpty else { return }
        let interval = estimator.interval(of: plan)
        for error in observedErrors {
            parts += SpreadHistogram.parts(
                of: plan.classKey, row: interval.row(nearestTo: error.etaSeconds),
                rowCount: interval.rows.count,
                units: interval.units(of: error.lateSeconds, at: error.etaSeconds))
        }
    }

    /// Appends the times of a run's completed legs, including the dwell at each leg's first stop.
    private func appendLegs(to parts: inout ContiguousArray<RoadSpeedTable.Part>) {
        for leg in drivenLegs where leg > 0 && plan.kind == .transit {
            guard let start = progress.stops[leg - 1].passedAt, let end = progress.stops[leg].passedAt
            else { continue }
            let seconds = end.seconds(since: start)
            let meters = plan.legMeters[leg]
            guard meters > 0, seconds * estimator.settings.matching.maximumSpeedMetersPerSecond > meters
            else {
                continue
            }
            parts.append(RoadSpeedTable.Part(cell: plan.legKeys[leg], meters: meters, seconds: seconds))
        }
    }

    /// Returns the road cells of the route; `nil` without a route.
    private func routeCells() -> RouteCells? {
        if cells == nil, let geometry = plan.geometry { cells = RouteCells(geometry: geometry, kind: plan.kind) }
        return cells
    }
}
