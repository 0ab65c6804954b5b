import Support

extension ActiveTrip {
    /// Whether ``learnPaces(from:at:)`` would take anything over; asked first, it spares handing over the memory.
    package func expectsAnew(at now: Timestamp) -> Bool {
        guard plan.geometry != nil, !progress.state.hasEnded else { return false }
        guard let taken = progress.expectedAt else { return true }
        return now.seconds(since: taken) >= estimator.settings.expectationSeconds
    }

    /// Takes over what the partition has learned about the roads ahead, every ``ArrivalSettings/expectationSeconds``.
    ///
    /// What is taken over becomes part of the progress and is encoded with it, so that a restored trip expects the same
    /// even though the memory has moved on.
    package func learnPaces(from memory: RoadSpeedTable, at now: Timestamp) {
        guard expectsAnew(at: now), let cells = routeCells() else { return }
        progress.expectedAt = now
        progress.expectedSeconds.removeAll(keepingCapacity: true)
        progress.pieceSeconds.removeAll(keepingCapacity: true)
        let interval = estimator.interval(of: plan)
        memory.spreads(of: plan.classKey, rowCount: interval.rows.count, at: now, into: &progress.spreads)
        let ratio = plan.isTimed ? 1 : memory.unplannedRatio(of: plan.classKey, at: now)
        progress.expectedSeconds.reserveCapacity(plan.stops.count)
        for leg in plan.stops.indices {
            let learned = learnedSeconds(leg, cells, memory, ratio: ratio, at: now)
            let slowest = plan.legMeters[leg] / estimator.settings.matching.maximumSpeedMetersPerSecond
            progress.expectedSeconds.append(Float(max(slowest, learned)))
            expectPieces(leg, cells, memory, whole: max(slowest, learned), at: now)
        }
    }

    /// Divides what is expected of a leg among its pieces, as their roads are driven.
    private func expectPieces(
        _ leg: Int, _ cells: RouteCells, _ memory: RoadSpeedTable, whole: Double, at now: Timestamp
    ) {
        let pieces = plan.pieces.pieces(of: leg)
        guard !pieces.isEmpty else { return }
        let length = plan.legMeters[leg] / Double(pieces.count)
        let planned = plan.legSeconds[leg] / Double(pieces.count)
        var sum = 0.0
        for piece in pieces {
            let start = plan.offsets[leg] - Double(pieces.upperBound - piece) * length
            let seconds = memory.expected(
                cells, from: start, to: start + length, planned: planned, hasTimetable: plan.hasTimetable, at: now)
            progress.pieceSeconds.append(Float(seconds))
            sum += seconds
        }
        let scale = sum > 0 ? Float(whole / sum) : 0
        for piece in pieces { progress.pieceSeconds[piece] *= scale }
    }

    private func learnedSeconds(
        _ leg: Int, _ cells: RouteCells, _ memory: RoadSpeedTable, ratio: Double, at now: Timestamp
    ) -> Double {
        let start = leg == 0 ? 0 : plan.offsets[leg - 1]
        let end = plan.offsets[leg]
        // What was learned of runs contains the time at the stop that the leg begins at.
        let dwell = leg > 0 && plan.kind == .transit ? plan.dwellSeconds[leg - 1] : 0
        let planned = (plan.legSeconds[leg] + dwell) * ratio
        let road = memory.expected(
            cells, from: start, to: end, planned: planned, hasTimetable: plan.hasTimetable, at: now)
        guard plan.kind == .transit, leg > 0 else { return road - dwell }
        return memory.expectedLeg(plan.legKeys[leg], meters: end - start, expected: road, at: now)
            - dwell
    }

    /// Teaches `memory` what the last ``update(position:isHalted:confidence:occupancyPercent:at:)`` drove and reached.
    package func teachPaces(to memory: inout RoadSpeedTable) {
        var parts: ContiguousArray<RoadSpeedTable.Part> = []
        guard let time = appendDrivenParts(for: memory, to: &parts) else { return }
        for part in parts { memory.add(part, at: time) }
    }

    /// Appends what ``teachPaces(to:)`` would add to the memory, for callers that have to add it again.
    ///
    /// - Returns: the time to add it at; `nil` when the last update taught nothing.
    package func appendDrivenParts(
        for memory: RoadSpeedTable, to parts: inout ContiguousArray<RoadSpeedTable.Part>
    ) -> Timestamp? {
        guard plan.geometry != nil else { return nil }
        let before = parts.count
        if let stretch = drivenStretch, let cells = routeCells() {
            memory.appendParts(
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

    /// How far the arrivals that came true strayed from their estimates.
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

    /// The legs whose ends were reached, with the stops at their beginnings.
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

    /// The cells of the route, made when first asked for; `nil` without a route.
    private func routeCells() -> RouteCells? {
        if cells == nil, let geometry = plan.geometry { cells = RouteCells(geometry: geometry, kind: plan.kind) }
        return cells
    }
}
