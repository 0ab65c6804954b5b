import TestSupport
import Testing

@testable import ArrivalTimes
@testable import Runtime

@Suite("Bounds and changes of learned paces")
struct RoadSpeedTableTests {
    private func settings(_ capacity: Int) -> RoadSpeedTable.Settings {
        var settings = RoadSpeedTable.Settings()
        settings.capacity = capacity
        return settings
    }

    /// Observations of a few hundred cells over two days, many more than the memory holds.
    private func observe(
        _ memory: inout RoadSpeedTable, _ count: Int, _ generator: inout SeededGenerator, from start: Int
    ) {
        for number in start..<start + count {
            let part = RoadSpeedTable.Part(
                cell: UInt64.random(in: 0..<300, using: &generator),
                meters: Double.random(in: 0...200, using: &generator),
                seconds: Double.random(in: 1...60, using: &generator))
            memory.add(part, at: Town.time(Double(number) * 40))
        }
    }

    private func sorted(_ memory: RoadSpeedTable) -> [RoadSpeedTable.Entry] {
        memory.allEntries.sorted { ($0.key.cell, $0.key.band) < ($1.key.cell, $1.key.band) }
    }

    @Test("what was handed over makes the same memory, which goes on alike", arguments: [UInt64(1), 2, 3])
    func changesMakeTheSameMemory(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var memory = RoadSpeedTable(settings: settings(256))
        var stored: [RoadSpeedTable.Key: RoadSpeedTable.Entry] = [:]
        for round in 0..<20 {
            observe(&memory, 200, &generator, from: round * 200)
            memory.takeChanges { stored[$0] = $1 }
            #expect(stored.count == memory.allEntries.count, "seed \(seed), round \(round)")
            // In the order of a dictionary, which differs from run to run.
            var restored = RoadSpeedTable(settings: settings(256))
            for entry in stored.values { restored.restore(entry) }
            #expect(restored.changeCount == 0)
            var (twin, other) = (memory, generator)
            observe(&twin, 300, &generator, from: round * 200 + 200)
            observe(&restored, 300, &other, from: round * 200 + 200)
            #expect(sorted(restored) == sorted(twin), "seed \(seed), round \(round)")
        }
        #expect(memory.evictions > 1000)
        #expect(stored.count <= 256)
    }

    /// Keys of legs, which are kept lately and by hour, but not at all hours as cells are.
    private func leg(_ number: UInt64) -> UInt64 { 1 << 62 | number }

    private func name(_ key: RoadSpeedTable.Key) -> String { "\(key.cell & 0xff)@\(key.band)" }

    @Test("an entry takes 40 bytes with its place")
    func size() { #expect(MemoryLayout<RoadSpeedTable.Slot?>.stride == 40) }

    @Test("a full memory gives up what says least by now: little driven, or long ago")
    func evictsWhatSaysLeast() {
        var memory = RoadSpeedTable(settings: settings(RoadSpeedTable.ways))
        func add(_ cell: UInt64, meters: Double, at seconds: Double) {
            memory.add(RoadSpeedTable.Part(cell: leg(cell), meters: meters, seconds: 10), at: Town.time(seconds))
        }
        // One set of places: two legs, each lately and at its hour.
        add(1, meters: 1000, at: 0)
        add(2, meters: 100, at: 0)
        #expect(memory.allEntries.count == 4)
        #expect(memory.evictions == 0)
        // Lately at leg 1 is more than four hours old and counts a third; at its hour of the day it counts nearly
        // whole.
        add(3, meters: 500, at: 16_000)
        let keys = Set(memory.allEntries.map { name($0.key) })
        #expect(keys == ["1@24", "1@16", "3@24", "3@20"])
        #expect(memory.evictions == 2)
    }

    @Test("each change is handed over once, and removals only of what was handed over before")
    func changesOnce() {
        var memory = RoadSpeedTable(settings: settings(RoadSpeedTable.ways))
        func take() -> [String] {
            var changes: [String] = []
            memory.takeChanges { changes.append("\($1 == nil ? "-" : "+")\(name($0))") }
            return changes
        }
        for _ in 0..<3 { memory.add(RoadSpeedTable.Part(cell: leg(1), meters: 10, seconds: 1), at: Town.noon) }
        #expect(take() == ["+1@24", "+1@16"])
        #expect(take() == [])
        // Legs 2 to 4 displace each other and leg 1; only that one was known outside.
        for cell in UInt64(2)...4 {
            memory.add(RoadSpeedTable.Part(cell: leg(cell), meters: 10 * Double(cell), seconds: 1), at: Town.noon)
        }
        let changes = take()
        #expect(changes.filter { $0.hasPrefix("-") } == ["-1@16", "-1@24"])
        #expect(Set(changes.filter { $0.hasPrefix("+") }) == ["+3@24", "+3@16", "+4@24", "+4@16"])
    }
}
