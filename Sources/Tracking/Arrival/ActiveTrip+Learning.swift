extension ActiveTrip {
    /// Takes over what the lane has learned about the roads ahead, every ``ArrivalSettings/expectationSeconds``.
    ///
    /// What is taken over becomes part of the progress and is encoded with it, so that a restored trip expects the same
    /// even though the memory has moved on.
    package func learnPaces(from memory: PaceMemory, at now: Timestamp) {
        guard let geometry = plan.geometry, !progress.state.hasEnded else { return }
        if let taken = progress.expectedAt, now.seconds(since: taken) < estimator.settings.expectationSeconds { return }
        let cells = cells ?? RouteCells(geometry: geometry, kind: plan.kind)
        self.cells = cells
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
        guard let stretch = drivenStretch, let geometry = plan.geometry else { return }
        let cells = cells ?? RouteCells(geometry: geometry, kind: plan.kind)
        self.cells = cells
        memory.observe(
            cells, from: stretch.fromMeters, to: stretch.toMeters, seconds: stretch.seconds, at: stretch.at)
    }
}
