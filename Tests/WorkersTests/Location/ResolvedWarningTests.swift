import Processors
import Support
import TestSupport
import Testing

@Suite("Resolved warnings of silent drivers")
struct ResolvedWarningTests {
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

    /// Returns records of two drivers with a warning at second 10 and no later fix, and of one who continues.
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

    @Test("warnings of silent drivers are resolved as stream time passes, ordered by driver id")
    func silent() throws {
        let topics = partition.run(Self.traffic())
        let actual = Self.warnings(topics)
        #expect(actual.count == 4)
        #expect(actual[0].contains("b_silent") && actual[0].contains(#""action":"REJECT""#))
        #expect(actual[1].contains("a_silent") && actual[1].contains(#""action":"REJECT""#))
        #expect(actual[2].contains("a_silent") && actual[2].contains(#""action":"RESOLVED""#))
        #expect(actual[3].contains("b_silent") && actual[3].contains(#""action":"RESOLVED""#))
        #expect(actual[2].contains("+1\"") && actual[3].contains("+2\""), "punctuations of the event ids: \(actual)")
        let end = topics[2].records[2].timestamp.milliseconds - Self.start
        #expect((40_000...100_000).contains(end), "\(end)")
        #expect(String(decoding: topics[2].records[2].key, as: UTF8.self) == "a_silent")
    }

    @Test("event ids of warnings increase, so that no reader drops a warning")
    func order() throws {
        let records = partition.run(Self.traffic())[2].records
        let events = try records.map { try #require($0.event) }
        for (last, next) in zip(events, events.dropFirst()) { #expect(next.isAfter(last)) }
    }

    @Test("the warning of a returning driver is resolved once", arguments: [35, 75, 95, 200, 320, 399])
    func returningDriver(second: Int) {
        var raw = Self.traffic(seconds: second)
        Self.add("a_silent", second: second, to: &raw)
        for later in stride(from: second + 1, to: second + 200, by: 5) {
            Self.add("c_goes_on", second: later, to: &raw)
            Self.add("a_silent", second: later, to: &raw)
        }
        let actual = Self.warnings(partition.run(raw)).filter { $0.contains("a_silent") }
        #expect(actual.count == 2 && actual[1].contains("RESOLVED"), "\(actual)")
    }

    @Test("the warning of the only driver is resolved with the driver's next fix")
    func alone() {
        var raw = RecordedTopic()
        Self.add("a_silent", second: 0, to: &raw)
        Self.add("a_silent", second: 1, isNull: true, to: &raw)
        Self.add("a_silent", second: 2000, to: &raw)
        Self.add("a_silent", second: 2001, to: &raw)
        #expect(Self.warnings(partition.run(raw)).count == 2)
    }

    @Test(
        "a restart at any record changes no byte of the output, for any `memorySeconds`",
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
