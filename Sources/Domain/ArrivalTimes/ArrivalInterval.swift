import Support

/// Interval table: 10th and 90th percentile of arrivals relative to the ETA, by time to arrival.
package struct ArrivalInterval: Sendable, Equatable {
    package struct Row: Sendable, Equatable {
        package var etaSeconds: Double
        /// 10 % of arrivals are more than this many seconds before the ETA.
        package var belowSeconds: Double
        /// 10 % of arrivals are more than this many seconds after the ETA.
        package var aboveSeconds: Double

        package init(_ etaSeconds: Double, below: Double, above: Double) {
            self.etaSeconds = etaSeconds
            belowSeconds = below
            aboveSeconds = above
        }
    }

    /// Rows in order of ``Row/etaSeconds`` from 0, interpolated linearly; beyond the last row, proportional to the ETA.
    package var rows: [Row]

    /// Table for scheduled runs, fitted on the stop passages of the WMATA C53/D40 recording (2026-02-16).
    package static let transit = ArrivalInterval(rows: [
        Row(0, below: 15, above: 30), Row(90, below: 48, above: 60), Row(270, below: 97, above: 106),
        Row(480, below: 126, above: 142), Row(750, below: 160, above: 186), Row(1350, below: 205, above: 262),
        Row(2700, below: 400, above: 500), Row(7200, below: 1100, above: 1300),
    ])

    /// Table for rides, wide because their plans are often guesses; learned arrivals narrow the intervals.
    package static let ride = ArrivalInterval(rows: [
        Row(0, below: 14, above: 30), Row(90, below: 43, above: 65), Row(270, below: 89, above: 128),
        Row(480, below: 134, above: 191), Row(750, below: 184, above: 253),
        Row(1350, below: 300, above: 390),
        Row(2700, below: 564, above: 720), Row(7200, below: 1536, above: 1920),
    ])

    /// Returns the seconds from an ETA of `etaSeconds` to its 10th and 90th percentile.
    package func spread(at etaSeconds: Double) -> (below: Double, above: Double) {
        let spread = spread(at: etaSeconds, learned: [])
        return (spread.middle - spread.low, spread.high - spread.middle)
    }

    /// Returns the 10th, 50th and 90th percentile in seconds relative to an ETA, adjusted by learned rows.
    func spread(at etaSeconds: Double, learned: [LearnedSpread]) -> (low: Double, middle: Double, high: Double) {
        guard let last = rows.indices.last else { return (0, 0, 0) }
        if etaSeconds >= rows[last].etaSeconds {
            let share = rows[last].etaSeconds > 0 ? etaSeconds / rows[last].etaSeconds : 1
            let spread = bounds(of: last, learned)
            return (spread.low * share, spread.middle * share, spread.high * share)
        }
        var index = 1
        while index < last, rows[index].etaSeconds <= etaSeconds { index += 1 }
        let part = max(
            0,
            (etaSeconds - rows[index - 1].etaSeconds)
                / (rows[index].etaSeconds - rows[index - 1].etaSeconds))
        let low = bounds(of: index - 1, learned)
        let high = bounds(of: index, learned)
        return (
            low.low + part * (high.low - low.low), low.middle + part * (high.middle - low.middle),
            low.high + part * (high.high - low.high)
        )
    }

    private func bounds(of row: Int, _ learned: [LearnedSpread]) -> (low: Double, middle: Double, high: Double) {
        guard row < learned.count else { return (-rows[row].belowSeconds, 0, rows[row].aboveSeconds) }
        let (low, middle, high) = (learned[row].low, learned[row].middle, learned[row].high)
        return (seconds(low, row), seconds(middle, row), seconds(high, row))
    }

    private func seconds(_ units: Float, _ row: Int) -> Double {
        Double(units) * (units < 0 ? rows[row].belowSeconds : rows[row].aboveSeconds)
    }

    func row(nearestTo etaSeconds: Double) -> Int {
        var row = 0
        while row + 1 < rows.count, etaSeconds > (rows[row].etaSeconds + rows[row + 1].etaSeconds) / 2 { row += 1 }
        return row
    }

    /// Converts an error (positive if late) to a multiple of the spread on its side.
    func units(of seconds: Double, at etaSeconds: Double) -> Double {
        let spread = spread(at: etaSeconds)
        let unit = max(1, seconds < 0 ? spread.below : spread.above)
        return seconds / unit
    }

    package func problems() -> [String] {
        let rising = zip(rows, rows.dropFirst()).allSatisfy { $0.etaSeconds < $1.etaSeconds }
        let positive = rows.allSatisfy { $0.belowSeconds >= 0 && $0.aboveSeconds >= 0 }
        return rows.first?.etaSeconds == 0 && rising && positive
            ? [] : ["Interval rows must start at etaSeconds 0, be ascending and have spreads of at least 0."]
    }
}

/// Learned percentiles of one row of the interval table, as multiples of the row's spreads.
struct LearnedSpread: Sendable, Equatable {
    var low: Float
    var middle: Float
    var high: Float
}

/// A recorded estimate, to be compared with the arrival.
struct ArrivalProbe: Sendable, Equatable {
    var stop: Int
    /// Estimate in seconds from the fix, not corrected by learned errors.
    var etaSeconds: Float
    var arrivesAt: Timestamp
}

struct ObservedError: Sendable, Equatable {
    var etaSeconds: Double
    /// Positive if the vehicle arrived later than estimated.
    var lateSeconds: Double
}
