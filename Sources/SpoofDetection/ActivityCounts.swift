import Model
import Support

/// How many drivers of a partition are active in each cell of the map, in this period and in the one before.
///
/// Cells are some 1.7 km high and 1.2 to 2.4 km wide. Cells whose hashes are equal share a counter: with 20,000 cells
/// of one driver each in use, a neighbourhood is overcounted by five or so, which excuses fewer, never more.
struct ActivityCounts: Sendable {
    private static let slotBits = 15
    private static let slots = 1 << slotBits

    /// Those of even periods, then those of odd ones.
    private var counters: ContiguousArray<UInt32>
    private let periodMilliseconds: Int64
    /// Number and beginning of the current period.
    private var period: Int64 = -2
    private var begin = Int64.min

    init(periodSeconds: Double) {
        counters = ContiguousArray(repeating: 0, count: 2 * Self.slots)
        periodMilliseconds = max(1, Int64(periodSeconds * 1000))
    }

    /// Counts a driver that was at `before` and is at `after`: once in each period, where it was last.
    @inline(__always)
    mutating func note(before: DriverState.Presence, after: DriverState.Presence) {
        if after.seenAt.milliseconds &- begin >= periodMilliseconds || begin == .min { turn(to: after.seenAt) }
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

    /// The drivers in the cell of `point` and the eight around it, in the busier of the two periods.
    func drivers(near point: GridPoint) -> Int {
        var even = 0
        var odd = 0
        Cell.forEach(around: point) { cell in
            let slot = cell.slot(Self.slotBits)
            // Nothing is taken out that was not put in, unless a changelog is damaged.
            even += max(0, Int(Int32(bitPattern: counters[slot])))
            odd += max(0, Int(Int32(bitPattern: counters[Self.slots + slot])))
        }
        return max(even, odd)
    }

    @inline(__always)
    private func base(of period: Int64) -> Int { period & 1 == 0 ? 0 : Self.slots }

    private mutating func turn(to time: Timestamp) {
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

    /// A piece of the map: rows of equal height, cut into columns that are twice as wide, in degrees, wherever the
    /// meridians have come twice as close.
    struct Cell: Equatable {
        /// Height of a row in ten-millionths of a degree: 0.015°.
        private static let height: Int64 = 150_000
        /// Columns of that width around the globe; divides by 8.
        private static let columns: Int64 = 24_000

        var row: Int64
        var column: Int64

        @inline(__always)
        init(_ point: GridPoint) {
            row = Self.row(of: point)
            column = Self.column(of: point, doublings: Self.doublings(ofRow: row))
        }

        private init(row: Int64, column: Int64) {
            self.row = row
            self.column = column
        }

        /// The cell that holds `point` and those that touch it.
        static func forEach(around point: GridPoint, _ body: (Cell) -> Void) {
            let row = row(of: point)
            for neighbour in row - 1...row + 1 {
                let doublings = doublings(ofRow: neighbour)
                let columns = Self.columns >> doublings
                let column = column(of: point, doublings: doublings)
                for step: Int64 in -1...1 {
                    body(Cell(row: neighbour, column: (column + step + columns) % columns))
                }
            }
        }

        @inline(__always)
        private static func row(of point: GridPoint) -> Int64 { (Int64(point.latitude) + 900_000_000) / height }

        @inline(__always)
        private static func column(of point: GridPoint, doublings: Int64) -> Int64 {
            let column = (Int64(point.longitude) + columns / 2 * height) / height
            return (column == columns ? 0 : column) >> doublings
        }

        /// How often the width is doubled: from where the cosine of the latitude falls below 0.71 (45°), and so on.
        @inline(__always)
        private static func doublings(ofRow row: Int64) -> Int64 {
            // Rows of 0.015° from the equator: 45°, 69.3° and 79.8°.
            let distance = abs(row - 6000)
            return distance < 3000 ? 0 : distance < 4617 ? 1 : distance < 5320 ? 2 : 3
        }

        @inline(__always)
        func slot(_ bits: Int) -> Int {
            let packed = UInt64(bitPattern: row) << 32 ^ UInt64(bitPattern: column)
            let mixed = (packed ^ packed >> 29) &* 0x9e37_79b9_7f4a_7c15
            return Int(truncatingIfNeeded: ((mixed ^ mixed >> 32) &* 0xbf58_476d_1ce4_e5b9) >> UInt64(64 - bits))
        }
    }
}

extension DriverState {
    /// Where and when a driver was last there, for counting it.
    struct Presence {
        var point: GridPoint
        var seenAt: Timestamp
        /// Whether it has a position that was believed.
        var isLocated: Bool

        @inline(__always)
        init(_ state: DriverState) {
            point = state.live.point
            seenAt = state.seenAt
            isLocated = state.live.isKnown
        }
    }
}
