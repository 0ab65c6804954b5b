import Support

/// Numbers of a partition's active drivers per map cell, in the current and the previous period.
///
/// Cells are about 1.7 km high and 1.2 to 2.4 km wide. Cells with equal hashes share a counter, which makes
/// interference harder to detect, never easier.
struct ActivityCounts: Sendable {
    private static let slotBits = 15
    private static let slots = 1 << slotBits

    /// Counters of even periods, then of odd periods.
    private var counters: ContiguousArray<UInt32>
    private let periodMilliseconds: Int64
    /// Number and start of the current period.
    private var period: Int64 = -2
    private var begin = Int64.min

    init(periodSeconds: Double) {
        counters = ContiguousArray(repeating: 0, count: 2 * Self.slots)
        periodMilliseconds = max(1, Int64(periodSeconds * 1000))
    }

    /// Counts a driver once per period, in the cell of the last accepted position.
    @inline(__always) mutating func record(before: DriverState.Presence, after: DriverState.Presence) {
        if after.seenAt.milliseconds &- begin >= periodMilliseconds || begin == .min { startPeriod(at: after.seenAt) }
        let wasCounted = before.isLocated && before.seenAt.milliseconds >= begin
        if wasCounted, after.isLocated, before.point == after.point { return }
        move(before, after, wasCounted)
    }

    private mutating func move(_ before: DriverState.Presence, _ after: DriverState.Presence, _ wasCounted: Bool) {
        let base = base(of: period)
        let newSlot = after.isLocated ? Cell(after.point).slot(Self.slotBits) : nil
        if wasCounted {
            let oldSlot = Cell(before.point).slot(Self.slotBits)
            if oldSlot == newSlot { return }
            counters[base + oldSlot] &-= 1
        }
        if let newSlot { counters[base + newSlot] &+= 1 }
    }

    /// Returns the number of drivers in the cell of `point` and its eight neighbours, in the busier of the two periods.
    func drivers(near point: GridPoint) -> Int {
        var even = 0
        var odd = 0
        Cell.forEach(around: point) { cell in
            let slot = cell.slot(Self.slotBits)
            // Counters can be negative only if the changelog is damaged.
            even += max(0, Int(Int32(bitPattern: counters[slot])))
            odd += max(0, Int(Int32(bitPattern: counters[Self.slots + slot])))
        }
        return max(even, odd)
    }

    @inline(__always) private func base(of period: Int64) -> Int { period & 1 == 0 ? 0 : Self.slots }

    private mutating func startPeriod(at time: Timestamp) {
        let next = time.milliseconds / periodMilliseconds
        clear(next)
        if next != period &+ 1 { clear(next &+ 1) }
        period = next
        begin = next &* periodMilliseconds
    }

    private mutating func clear(_ period: Int64) {
        let start = base(of: period)
        for index in start..<start + Self.slots { counters[index] = 0 }
    }

    /// Map cell: rows of equal height, whose columns double in width (in degrees) as the meridians converge.
    struct Cell: Equatable {
        /// Height of a row in 1e-7 degrees: 0.015°.
        private static let height: Int64 = 150_000
        /// Number of columns of 0.015° around the globe; divisible by 8.
        private static let columns: Int64 = 24_000

        var row: Int64
        var column: Int64

        @inline(__always) init(_ point: GridPoint) {
            row = Self.row(of: point)
            column = Self.column(of: point, doublings: Self.doublings(ofRow: row))
        }

        private init(row: Int64, column: Int64) {
            self.row = row
            self.column = column
        }

        /// Calls `body` for the cell of `point` and its neighbours.
        static func forEach(around point: GridPoint, _ body: (Cell) -> Void) {
            let row = row(of: point)
            for neighbour in row - 1...row + 1 {
                let doublings = doublings(ofRow: neighbour)
                let columns = Self.columns >> doublings
                let column = column(of: point, doublings: doublings)
                for step: Int64 in -1...1 { body(Cell(row: neighbour, column: (column + step + columns) % columns)) }
            }
        }

        @inline(__always)
        private static func row(of point: GridPoint) -> Int64 { (Int64(point.latitude) + 900_000_000) / height }

        @inline(__always) private static func column(of point: GridPoint, doublings: Int64) -> Int64 {
            let column = (Int64(point.longitude) + columns / 2 * height) / height
            return (column == columns ? 0 : column) >> doublings
        }

        /// Returns the number of doublings of the column width, which are at 45°, 69.3° and 79.8°.
        @inline(__always) private static func doublings(ofRow row: Int64) -> Int64 {
            // Rows of 0.015° from the equator.
            let distance = abs(row - 6000)
            return distance < 3000 ? 0 : distance < 4617 ? 1 : distance < 5320 ? 2 : 3
        }

        @inline(__always) func slot(_ bits: Int) -> Int {
            let packed = UInt64(bitPattern: row) << 32 ^ UInt64(bitPattern: column)
            let mixed = (packed ^ packed >> 29) &* 0x9e37_79b9_7f4a_7c15
            return Int(truncatingIfNeeded: ((mixed ^ mixed >> 32) &* 0xbf58_476d_1ce4_e5b9) >> UInt64(64 - bits))
        }
    }
}

extension DriverState {
    /// Position and time of a driver, for activity counting.
    struct Presence {
        var point: GridPoint
        var seenAt: Timestamp
        var isLocated: Bool

        @inline(__always) init(_ state: DriverState) {
            point = state.lastAccepted.point
            seenAt = state.seenAt
            isLocated = state.lastAccepted.isKnown
        }
    }
}
