extension ActiveTrip {
    /// Takes over what the lane has learned about the roads ahead, every ``ArrivalSettings/expectationSeconds``.
    ///
    /// What is taken over becomes part of the progress and is encoded with it, so that a restored trip expects the same
    /// even though the memory has moved on.
    package func learnPaces(from memory: PaceMemory, at now: Timestamp) {
        guard let geometry = plan.geometry, !progress.state.hasEnded else { return }
        if let taken = progress.expectedAt, now.seconds(since: taken) < estimator.settings.expectationSeconds { return }
        let cells = routeCells(geometry)
        progress.expectedAt = now
        progress.expectedSeconds.removeAll(keepingCapacity: true)
        for leg in plan.stops.indices {
            let start = leg == 0 ? 0 : plan.offsets[leg - 1]
            let end = plan.offsets[leg]
            let learned = memory.expected(cells, from: start, to: end, planned: plan.legSeconds[leg], at: now)
            let slowest = (end - start) / estimator.settings.matching.maximumSpeedMetersPerSecond
            progress.expectedSeconds.append(Float(max(slowest, learned)))
        }
    }

    /// Teaches `memory` the stretch that the last ``update(position:isHalted:confidence:occupancyPercent:at:)`` drove.
    package func teachPaces(to memory: inout PaceMemory) {
        var parts: ContiguousArray<PaceMemory.Part> = []
        guard let time = appendDrivenParts(for: memory, to: &parts) else { return }
        for part in parts { memory.add(part, at: time) }
    }

    /// Appends what ``teachPaces(to:)`` would add to the memory, for whoever has to be able to add it again.
    ///
    /// - Returns: the time to add it at; `nil` when the last update drove nothing.
    package func appendDrivenParts(
        for memory: PaceMemory, to parts: inout ContiguousArray<PaceMemory.Part>
    ) -> Timestamp? {
        guard let stretch = drivenStretch, let geometry = plan.geometry else { return nil }
        memory.appendParts(
            of: routeCells(geometry), from: stretch.fromMeters, to: stretch.toMeters, seconds: stretch.seconds,
            to: &parts)
        return stretch.at
    }

    private func routeCells(_ geometry: RouteGeometry) -> RouteCells {
        let made = cells ?? RouteCells(geometry: geometry, kind: plan.kind)
        cells = made
        return made
    }
}
