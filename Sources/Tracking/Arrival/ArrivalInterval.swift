/// How far arrivals stray from the ETA: the tenth and ninetieth percentiles by how far ahead it looks.
package struct ArrivalInterval: Sendable, Equatable {
    /// One row of the table.
    package struct Row: Sendable, Equatable {
        /// Predicted seconds to arrival.
        package var etaSeconds: Double
        /// 10 % of arrivals are more than this many seconds earlier.
        package var belowSeconds: Double
        /// 10 % are more than this many seconds later.
        package var aboveSeconds: Double

        package init(_ etaSeconds: Double, below: Double, above: Double) {
            self.etaSeconds = etaSeconds
            belowSeconds = below
            aboveSeconds = above
        }
    }

    /// By rising ``Row/etaSeconds``, from 0; straight lines between, the last row's share of the ETA beyond.
    package var rows: [Row]

    package init(rows: [Row]) { self.rows = rows }

    /// Scheduled runs: fitted on the stop passages of the WMATA C53/D40 recording (2026-02-16).
    package static let transit = ArrivalInterval(rows: [
        Row(0, below: 15, above: 30), Row(90, below: 48, above: 60), Row(270, below: 97, above: 106),
        Row(480, below: 126, above: 142), Row(750, below: 160, above: 186), Row(1350, below: 205, above: 262),
        Row(2700, below: 400, above: 500), Row(7200, below: 1100, above: 1300),
    ])

    /// Rides: the shape of ``transit``, narrower because nobody boards on the way, to be fitted when rides are recorded.
    package static let ride = ArrivalInterval(rows: [
        Row(0, below: 10, above: 20), Row(90, below: 28, above: 42), Row(270, below: 58, above: 84),
        Row(480, below: 88, above: 125), Row(750, below: 120, above: 165), Row(1350, below: 195, above: 255),
        Row(2700, below: 370, above: 470), Row(7200, below: 1000, above: 1250),
    ])

    /// Seconds below and above an ETA of `etaSeconds`.
    package func spread(at etaSeconds: Double) -> (below: Double, above: Double) {
        guard let last = rows.last else { return (0, 0) }
        if etaSeconds >= last.etaSeconds {
            let share = last.etaSeconds > 0 ? etaSeconds / last.etaSeconds : 1
            return (last.belowSeconds * share, last.aboveSeconds * share)
        }
        var index = 1
        while index < rows.count, rows[index].etaSeconds <= etaSeconds { index += 1 }
        guard index < rows.count else { return (last.belowSeconds, last.aboveSeconds) }
        let low = rows[index - 1]
        let high = rows[index]
        let part = max(0, (etaSeconds - low.etaSeconds) / (high.etaSeconds - low.etaSeconds))
        return (
            low.belowSeconds + part * (high.belowSeconds - low.belowSeconds),
            low.aboveSeconds + part * (high.aboveSeconds - low.aboveSeconds)
        )
    }

    /// What is wrong with the table, one sentence each; empty when it can be used.
    package func problems() -> [String] {
        let rising = zip(rows, rows.dropFirst()).allSatisfy { $0.etaSeconds < $1.etaSeconds }
        let positive = rows.allSatisfy { $0.belowSeconds >= 0 && $0.aboveSeconds >= 0 }
        return rows.first?.etaSeconds == 0 && rising && positive
            ? [] : ["An interval table starts at 0 s, rises, and holds no negative spread."]
    }
}
