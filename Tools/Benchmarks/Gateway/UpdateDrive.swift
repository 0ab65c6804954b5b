import SightlineCLI

/// Sends updates of some trips in turn at a steady rate.
struct UpdateDrive {
    let updates: LoadUpdates
    let trips: Int
    /// Of updates, not of pushes.
    let ratePerSecond: Double
    let stop: StopSignal

    /// Sends for this long; an update that is sent late counts from when it was due.
    ///
    /// - Returns: how many were sent.
    @discardableResult
    func run(seconds: Double, to feed: any UpdateFeed, while mayContinue: () throws -> Bool = { true }) throws -> Int {
        let start = UpdateStamp.now
        let total = Int(seconds * ratePerSecond)
        for index in 0..<total {
            let dueAt = start + Int64(Double(index) / ratePerSecond * 1e6)
            while case let wait = dueAt - UpdateStamp.now, wait > 0 {
                try stop.check()
                guard try mayContinue() else { return index }
                try feed.poll(waitMilliseconds: wait > 1500 ? 1 : 0)
            }
            try updates.send(index % trips, sentAt: dueAt, to: feed)
            if index % 64 == 0 { try feed.poll(waitMilliseconds: 0) }
        }
        try feed.finish()
        return total
    }
}
