import Processors
import Support
import Testing

@Suite("Flags after silences and restarts")
struct FlagMemoryTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private let partition = LocationPartition()

    private static func record(_ driver: String, at seconds: Double, isMock: Bool = false) -> RecordedTopic.Record {
        let at = start.advanced(bySeconds: seconds)
        let value = """
            {"type":"location","sequence":\(Int(seconds) + 1),"payload":{"latitude":\(48 + seconds / 10_000),\
            "longitude":11.5,"accuracy_meters":\(6 + Int(seconds) % 5),"speed_mps":11.1,\
            "timestamp":\(at.milliseconds),"trip_id":"t","is_mock":\(isMock)}}
            """
        return .init(key: Array(driver.utf8), value: Array(value.utf8), timestamp: at)
    }

    /// Returns records of a spoofing driver, silent for `silence` seconds from second 60 on, and of two honest drivers.
    private static func traffic(silence: Int) -> RecordedTopic {
        var raw = RecordedTopic()
        for second in 0..<60 + silence + 30 {
            if second < 60 { raw.records.append(record("spoofer", at: Double(second), isMock: second > 5)) }
            if second >= 60 + silence { raw.records.append(record("spoofer", at: Double(second))) }
            if second % 2 == 0 { raw.records.append(record("honest_\(second / 2 % 2)", at: Double(second) + 0.5)) }
        }
        return raw
    }

    private static func flags(_ verdicts: RecordedTopic, after second: Int) -> [Bool] {
        verdicts.records.filter {
            String(decoding: $0.key, as: UTF8.self) == "spoofer"
                && $0.timestamp >= start.advanced(bySeconds: Double(second))
        }.map { $0.text.contains("FLAGGED") }
    }

    @Test("a flag persists through a silence of ten minutes, and a restart during it changes no byte")
    func restartInSilence() {
        let raw = Self.traffic(silence: 600)
        let expected = partition.run(raw)
        #expect(Self.flags(expected[0], after: 660).first == true)
        let restarts = raw.records.indices.filter { $0 > 50 && $0 % 23 == 0 }
        for restart in restarts {
            let actual = partition.run(raw, restartingAfter: restart)
            let same = actual.map(\.records) == expected.map(\.records)
            #expect(same, "restart at \(restart)")
        }
    }

    @Test("a flag expires after a silence of more than fifteen minutes, also if the partition restarts during it")
    func longSilence() {
        let raw = Self.traffic(silence: 901)
        let expected = partition.run(raw)
        #expect(Self.flags(expected[0], after: 960).allSatisfy { !$0 })
        for restart in [200, 400, raw.records.count - 31] {
            #expect(
                partition.run(raw, restartingAfter: restart).map(\.records) == expected.map(\.records), "\(restart)")
        }
    }

    @Test("a timestamp two hours ahead does not evict a silent flagged driver")
    func receiptsAhead() {
        func late(_ seconds: Int, ahead: Double = 0) -> RecordedTopic.Record {
            SkewedTraffic.record(
                "late_0", at: Self.start.advanced(bySeconds: Double(seconds)), number: seconds, skew: ahead,
                device: .ahead)
        }
        var raw = RecordedTopic()
        // The only other driver sends the record ahead, when the spoofing driver has been silent for 440 s.
        raw.records += (0..<60).map { Self.record("spoofer", at: Double($0), isMock: $0 > 5) }
        raw.records += stride(from: 60, to: 500, by: 10).map { late($0) }
        raw.records.append(late(500, ahead: 7200))
        raw.records += (640..<660).map { Self.record("spoofer", at: Double($0)) }
        let verdicts = partition.run(raw)[0]
        #expect(Self.flags(verdicts, after: 640).first == true)
    }
}
