import Support
import TestSupport
import Testing
import LocationWorker

/// The ends of warnings of drivers that have fallen silent, told while others go on.
@Suite("Location stage: ends of warnings")
struct WarningEndStageTests {
    private static let start: Int64 = 1_770_000_000_000
    private let partition = LocationPartition()

    private static func add(_ driver: String, second: Int, isNull: Bool = false, to raw: inout RecordedTopic) {
        let at = start + Int64(second) * 1000
        let (latitude, longitude) = isNull ? ("0", "0") : ("48.1\(1000 + second % 900)", "11.5")
        let value =
            #"{"type":"location","payload":{"latitude":\#(latitude),"longitude":\#(longitude),"timestamp":\#(at)}}"#
        raw.records.append(
            .init(key: Array(driver.utf8), value: Array(value.utf8), timestamp: Timestamp(milliseconds: at)))
    }

    /// Two drivers whose warning starts at the tenth second and who are silent then, and one who goes on.
    private static func traffic(seconds: Int = 400) -> RecordedTopic {
        var raw = RecordedTopic()
        for second in stride(from: 0, to: seconds, by: 5) {
            add("c_goes_on", second: second, to: &raw)
            if second == 10 {
                add("b_silent", second: second, isNull: true, to: &raw)
                add("a_silent", second: second, isNull: true, to: &raw)
            }
        }
        return raw
    }

    private static func warnings(_ topics: [RecordedTopic], _ code: String = "NULL_ISLAND") -> [String] {
        topics[2].texts.filter { $0.contains(code) }
    }

    @Test("a silent driver's warnings are over once stream time has passed, in the order of the drivers' ids")
    func silent() throws {
        let topics = partition.run(Self.traffic())
        let told = Self.warnings(topics)
        #expect(told.count == 4)
        #expect(told[0].contains("b_silent") && told[0].contains(#""action":"REJECT""#))
        #expect(told[1].contains("a_silent") && told[1].contains(#""action":"REJECT""#))
        #expect(told[2].contains("a_silent") && told[2].contains(#""action":"RESOLVED""#))
        #expect(told[3].contains("b_silent") && told[3].contains(#""action":"RESOLVED""#))
        #expect(told[2].contains("+1\"") && told[3].contains("+2\""), "they are numbered: \(told)")
        let end = topics[2].records[2].timestamp.milliseconds - Self.start
        #expect((40_000...100_000).contains(end), "\(end)")
        #expect(String(decoding: topics[2].records[2].key, as: UTF8.self) == "a_silent")
    }

    @Test("events of warnings only grow, so that no reader drops one")
    func order() throws {
        let records = partition.run(Self.traffic())[2].records
        let events = try records.map { try #require($0.clock) }
        for (last, next) in zip(events, events.dropFirst()) { #expect(next.isAfter(last)) }
    }

    @Test("a driver who comes back hears of the end once", arguments: [35, 75, 95, 200, 320, 399])
    func comesBack(second: Int) {
        var raw = Self.traffic(seconds: second)
        Self.add("a_silent", second: second, to: &raw)
        for later in stride(from: second + 1, to: second + 200, by: 5) {
            Self.add("c_goes_on", second: later, to: &raw)
            Self.add("a_silent", second: later, to: &raw)
        }
        let told = Self.warnings(partition.run(raw)).filter { $0.contains("a_silent") }
        #expect(told.count == 2 && told[1].contains("RESOLVED"), "\(told)")
    }

    @Test("a driver alone in a partition hears of the end with the next fix, however late")
    func alone() {
        var raw = RecordedTopic()
        Self.add("a_silent", second: 0, to: &raw)
        Self.add("a_silent", second: 1, isNull: true, to: &raw)
        Self.add("a_silent", second: 2000, to: &raw)
        Self.add("a_silent", second: 2001, to: &raw)
        #expect(Self.warnings(partition.run(raw)).count == 2)
    }

    @Test(
        "a restart at any record changes no byte of what is written, whatever the memory",
        arguments: [30.0, 60, 300], [UInt64(1), 2, 3])
    func restart(memory: Double, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var raw = RecordedTopic()
        for second in 0..<500 {
            for driver in 0..<5 where Int.random(in: 0..<12, using: &random) == 0 {
                Self.add(
                    "drv_\(driver)", second: second, isNull: Int.random(in: 0..<4, using: &random) == 0, to: &raw)
            }
        }
        var partition = partition
        partition.settings.memorySeconds = memory
        let undisturbed = partition.run(raw)
        #expect(undisturbed[2].texts.count { $0.contains("RESOLVED") } > 5)
        for restart in raw.records.indices where restart > 0 && Int.random(in: 0..<3, using: &random) == 0 {
            let disturbed = partition.run(raw, restartingAfter: restart)
            #expect(disturbed.map(\.texts) == undisturbed.map(\.texts), "seed \(seed), restart at \(restart)")
            #expect(disturbed[0].records.map(\.state) == undisturbed[0].records.map(\.state))
        }
    }
}
