import TestSupport
import Testing

@testable import Domain
@testable import Support

@Suite("Capacity and changes of the road speed table")
struct RoadSpeedTableTests {
    private func settings(_ capacity: Int) -> RoadSpeedTable.Settings {
        var settings = RoadSpeedTable.Settings()
        settings.capacity = capacity
        return settings
    }

    /// Adds `count` observations of 300 cells, one every 40 s; the table is too small for all cells.
    private func observe(
        _ table: inout RoadSpeedTable, _ count: Int, _ generator: inout SeededGenerator, from start: Int
    ) {
        for number in start..<start + count {
            let part = RoadSpeedTable.Part(
                cell: UInt64.random(in: 0..<300, using: &generator),
                meters: Double.random(in: 0...200, using: &generator),
                seconds: Double.random(in: 1...60, using: &generator))
            table.add(part, at: Town.time(Double(number) * 40))
        }
    }

    private func sorted(_ table: RoadSpeedTable) -> [RoadSpeedTable.Entry] {
        table.allEntries.sorted { ($0.key.cell, $0.key.band) < ($1.key.cell, $1.key.band) }
    }

    @Test("a table restored from its changes behaves like the original", arguments: [UInt64(1), 2, 3])
    func restoredFromChanges(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = RoadSpeedTable(settings: settings(256))
        var stored: [RoadSpeedTable.Key: RoadSpeedTable.Entry] = [:]
        for round in 0..<20 {
            observe(&table, 200, &generator, from: round * 200)
            table.drainChanges { stored[$0] = $1 }
            #expect(stored.count == table.allEntries.count, "seed \(seed), round \(round)")
            // In random order, because dictionaries are unordered.
            var restored = RoadSpeedTable(settings: settings(256))
            for entry in stored.values { restored.restore(entry) }
            #expect(restored.changeCount == 0)
            var (twin, other) = (table, generator)
            observe(&twin, 300, &generator, from: round * 200 + 200)
            observe(&restored, 300, &other, from: round * 200 + 200)
            #expect(sorted(restored) == sorted(twin), "seed \(seed), round \(round)")
        }
        #expect(table.evictions > 1000)
        #expect(stored.count <= 256)
    }

    /// Returns the key of a leg; unlike a cell, a leg has no all-hours entry in the table.
    private func leg(_ number: UInt64) -> UInt64 { 1 << 62 | number }

    /// Returns the number of the leg and the band: 24 for recent times, else the hour of the day.
    private func name(_ key: RoadSpeedTable.Key) -> String { "\(key.cell & 0xff)@\(key.band)" }

    @Test("a slot occupies 40 bytes")
    func size() { #expect(MemoryLayout<RoadSpeedTable.Slot?>.stride == 40) }

    @Test("a full table evicts the entries with the least weight")
    func evictsLeastWeight() {
        var table = RoadSpeedTable(settings: settings(RoadSpeedTable.associativity))
        func add(_ cell: UInt64, meters: Double, at seconds: Double) {
            table.add(RoadSpeedTable.Part(cell: leg(cell), meters: meters, seconds: 10), at: Town.time(seconds))
        }
        // One set of slots: two legs, each with a recent and an hourly entry.
        add(1, meters: 1000, at: 0)
        add(2, meters: 100, at: 0)
        #expect(table.allEntries.count == 4)
        #expect(table.evictions == 0)
        // The recent entry of leg 1 is over four hours old and has half its weight, the hourly entry nearly all.
        add(3, meters: 500, at: 16_000)
        let keys = Set(table.allEntries.map { name($0.key) })
        #expect(keys == ["1@24", "1@16", "3@24", "3@20"])
        #expect(table.evictions == 2)
    }

    @Test("each change is reported once, and removals only of reported keys")
    func changesOnce() {
        var table = RoadSpeedTable(settings: settings(RoadSpeedTable.associativity))
        func drain() -> [String] {
            var changes: [String] = []
            table.drainChanges { changes.append("\($1 == nil ? "-" : "+")\(name($0))") }
            return changes
        }
        for _ in 0..<3 { table.add(RoadSpeedTable.Part(cell: leg(1), meters: 10, seconds: 1), at: Town.start) }
        #expect(drain() == ["+1@24", "+1@16"])
        #expect(drain() == [])
        // Legs 2 to 4 evict each other and leg 1; only leg 1 was reported before.
        for cell in UInt64(2)...4 {
            table.add(RoadSpeedTable.Part(cell: leg(cell), meters: 10 * Double(cell), seconds: 1), at: Town.start)
        }
        let changes = drain()
        #expect(changes.filter { $0.hasPrefix("-") } == ["-1@16", "-1@24"])
        #expect(Set(changes.filter { $0.hasPrefix("+") }) == ["+3@24", "+3@16", "+4@24", "+4@16"])
    }
}

extension RoadSpeedTable {
    /// Adds an observation of `seconds` between two positions of a route.
    mutating func observe(
        _ cells: RouteCells, from start: Double, to end: Double, seconds: Double, at time: Timestamp
    ) {
        var parts: ContiguousArray<Part> = []
        appendParts(of: cells, from: start, to: end, seconds: seconds, to: &parts)
        for part in parts { add(part, at: time) }
    }
}
