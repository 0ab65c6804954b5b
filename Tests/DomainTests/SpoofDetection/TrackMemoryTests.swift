import TestSupport
import Testing

@testable import Domain
@testable import Support

@Suite struct TrackMemoryTests {
    /// A reference implementation, which stores all chunks in order.
    private struct Log {
        var records: [(chunk: UInt64, at: Timestamp)] = []
        let settings: TrackingSettings.Replay

        /// Returns whether the chunk is among the latest chunks that are old enough and not expired.
        func contains(_ chunk: UInt64, at now: Timestamp) -> Bool {
            let settled = records.filter { now.seconds(since: $0.at) >= settings.minimumAgeSeconds }
            let last = settled.suffix(settings.rememberedChunks).filter {
                now.milliseconds / 3_600_000 - $0.at.milliseconds / 3_600_000 < 24
            }
            let bucket = last.filter { $0.chunk >> 48 == chunk >> 48 }.suffix(22)
            return bucket.contains { $0.chunk == chunk }
        }
    }

    private static func settings(remembering chunks: Int) -> TrackingSettings.Replay {
        var settings = TrackingSettings.Replay()
        settings.rememberedChunks = chunks
        return settings
    }

    private static func time(_ seconds: Double) -> Timestamp { TestDriver.start.advanced(bySeconds: seconds) }

    /// Returns a chunk of one of four buckets, so that buckets overflow.
    private static func chunk(_ random: inout SeededGenerator) -> UInt64 {
        let bits = random.next()
        return bits & 0x0003_0000_ffff_ffff
    }

    @Test("the memory gives the same results as a log of all chunks", arguments: [UInt64(1), 2, 3, 4])
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let settings = Self.settings(remembering: [1, 60, 80, 400][Int(seed) - 1])
        var memory = TrackMemory(settings)
        var log = Log(settings: settings)
        var seconds = 0.0
        for index in 0..<1500 {
            seconds += Double(random.next() % 100) * (index % 400 == 399 ? 1500 : 0.2)
            let next = (chunk: Self.chunk(&random), at: Self.time(seconds))
            memory.remember(chunk: next.chunk, at: next.at)
            log.records.append(next)
            let probe = log.records[max(0, index - Int(random.next() % 600))].chunk
            let expected = log.contains(probe, at: next.at)
            let isRemembered = memory.holds(chunk: probe, at: next.at)
            #expect(isRemembered == expected, "seed \(seed), record \(index)")
            let isOtherRemembered = memory.holds(chunk: probe ^ 1 << 20, at: next.at)
            #expect(!isOtherRemembered, "seed \(seed), record \(index)")
        }
    }

    @Test(
        "a memory restored from its last records gives the same results as an uninterrupted memory",
        arguments: [UInt64(5), 6, 7])
    func restored(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let settings = Self.settings(remembering: 2000)
        var whole = TrackMemory(settings)
        var records: [(chunk: UInt64, at: Timestamp)] = []
        var seconds = 0.0
        for _ in 0..<9000 {
            seconds += Double(random.next() % 200) * 0.1
            // Chunks of all buckets or of four, so that buckets grow at different times.
            let next = random.next() % 3 == 0 ? Self.chunk(&random) : random.next()
            records.append((next, Self.time(seconds)))
        }
        for (index, record) in records.enumerated() {
            whole.remember(chunk: record.chunk, at: record.at)
            guard index > 4000, index % 700 == 0 else { continue }
            var restored = TrackMemory(settings)
            // Includes chunks below the minimum age in addition to the capacity.
            for old in records[max(0, index - 2600)...index] { restored.remember(chunk: old.chunk, at: old.at) }
            var again = whole
            let wrong = records[0...index].filter {
                again.holds(chunk: $0.chunk, at: record.at) != restored.holds(chunk: $0.chunk, at: record.at)
            }
            #expect(wrong.isEmpty, "seed \(seed), after \(index): \(wrong.count)")
        }
    }

    @Test("a chunk is recognised from the minimum age of a minute on", arguments: [(59.9, false), (60, true)])
    func age(seconds: Double, isOldEnough: Bool) {
        var memory = TrackMemory()
        memory.remember(chunk: 1, at: Self.time(0))
        let isRemembered = memory.holds(chunk: 1, at: Self.time(seconds))
        #expect(isRemembered == isOldEnough)
        #expect(memory.count == 1)
    }

    @Test("a chunk is removed at the 24th full hour after its time")
    func hours() {
        var memory = TrackMemory()
        // Last second of an hour.
        let at = Timestamp(milliseconds: 1_760_000_400_000 - 1000)
        memory.remember(chunk: 1, at: at)
        let isRemembered = memory.holds(chunk: 1, at: at.advanced(bySeconds: 23 * 3600 + 0.9))
        let isRememberedLater = memory.holds(chunk: 1, at: at.advanced(bySeconds: 23 * 3600 + 1))
        #expect(isRemembered && !isRememberedLater)
        #expect(memory.count == 0)
    }

    @Test("a full memory loses fewer than one chunk in 300 and gives no false matches")
    func full() {
        let seed: UInt64 = 9
        var random = SeededGenerator(seed: seed)
        var memory = TrackMemory()
        let chunks = (0..<900_000).map { _ in random.next() }
        for (index, chunk) in chunks.enumerated() {
            memory.remember(chunk: chunk, at: Self.time(Double(index) / 250))
        }
        let now = Self.time(3660)
        let probes = stride(from: 0, to: chunks.count, by: 37).map { chunks[$0] }
        let lost = probes.count { !memory.holds(chunk: $0, at: now) }
        #expect(Double(lost) < Double(probes.count) / 300, "seed \(seed): \(lost) of \(probes.count)")
        let wrong = (0..<100_000).count { _ in memory.holds(chunk: random.next(), at: now) }
        #expect(wrong == 0, "seed \(seed)")
    }
}
