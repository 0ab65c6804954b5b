import Processors
import Domain
import Processing
import Support
import TestSupport
import Testing

/// Upper bounds of a record's output and allocations by its size, so that no record can block a partition.
@Suite("Costs of a record")
struct RecordCostTests {
    /// Maximum output bytes: per byte of a raw record, plus a constant.
    ///
    /// A fix in a batch has at least 30 bytes; its verdict with state and warnings up to 3,000.
    private static let (rawFactor, rawBytes) = (100, 1 << 14)
    /// Maximum output bytes for a trip message; a stop has at least 40 bytes.
    private static let (tripFactor, tripBytes) = (40, 1 << 14)
    /// Maximum bytes of the rider updates for an arrival record.
    private static let (etaFactor, etaBytes) = (8, 1 << 13)

    /// Maximum allocated bytes: per byte of a record, plus a constant.
    ///
    /// Freed memory is included, and a growing buffer counts repeatedly. A fix in a batch has at least 2 bytes (`1,`), and
    /// allocates about 1,100 before it is found unreadable.
    private static let (rawMemoryFactor, rawMemoryBytes) = (600, 1 << 17)
    private static let (tripMemoryFactor, tripMemoryBytes) = (40, 1 << 16)
    private static let (etaMemoryFactor, etaMemoryBytes) = (40, 1 << 18)

    private static let start = Timestamp(milliseconds: 1_770_000_000_000)

    /// Returns the number of bytes written since the last call, including headers.
    private static func written(by runner: inout InMemoryRunner, _ body: (InMemoryRunner.Output) -> Void = { _ in })
        -> Int
    {
        var bytes = 0
        runner.drainOutputs { output in
            bytes += output.byteCount
            body(output)
        }
        return bytes
    }

    // MARK: Records of every shape

    private static func fix(_ random: inout SeededGenerator, _ number: Int) -> String {
        let shape = Int.random(in: 0..<8, using: &random)
        let id = String(repeating: "s", count: [1, 40, 128, 129].randomElement(using: &random) ?? 1)
        // Far apart, so that jumps raise warnings.
        let position = #""latitude":\#(number % 170 - 85),"longitude":\#(number * 7 % 360 - 180)"#
        switch shape {
        case 0: return #"{\#(position),"sequence":\#(number)}"#
        case 1: return #"{\#(position),"timestamp":\#(start.milliseconds + Int64(number) * 1000)}"#
        case 2: return #"{"latitude":148,"longitude":1,"sequence":1}"#
        case 3: return "{}"
        case 4: return "1"
        case 5: return #"{\#(position),"sequence":\#(number),"session_id":"\#(id)","trip_id":"\#(id)"}"#
        case 6: return #"{\#(position),"sequence":\#(number),"is_mock":true,"integrity":"FAILED"}"#
        default: return #"{\#(position),"sequence":\#(number),"speed_mps":1e300,"x":"\#(escapes(&random))"}"#
        }
    }

    private static func escapes(_ random: inout SeededGenerator) -> String {
        String(repeating: #"\u0001"#, count: Int.random(in: 0...200, using: &random))
    }

    private static func nested(_ random: inout SeededGenerator) -> String {
        let depth = [10, 900, 1100, 100_000].randomElement(using: &random) ?? 10
        let (open, close) =
            [("[", "]"), (#"{"payload":"#, "}"), (#"{"a":["#, "]}")].randomElement(using: &random) ?? ("[", "]")
        return String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }

    private static func raw(_ random: inout SeededGenerator) -> [UInt8] {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let count = [1, 2, 499, 500, 501, 5000].randomElement(using: &random) ?? 1
            let fixes = (0..<count).map { fix(&random, $0) }.joined(separator: ",")
            let filler = String(repeating: "x", count: [0, 0, 900_000].randomElement(using: &random) ?? 0)
            return Array(#"{"type":"location_batch","note":"\#(filler)","locations":[\#(fixes)]}"#.utf8)
        case 1:
            let text = fix(&random, 3)
            return Array(
                #"{"type":"location_batch","locations":[\#(Array(repeating: text, count: 500).joined(separator: ","))]}"#
                    .utf8)
        case 2: return Array(nested(&random).utf8)
        case 3: return (0..<Int.random(in: 0...3000, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        case 4:
            return Array(
                repeating: UInt8(ascii: "["), count: [1 << 16, 1 << 20, 3 << 20].randomElement(using: &random) ?? 1)
        default:
            let text = fix(&random, Int.random(in: 0...1000, using: &random))
            return Array(#"{"type":"location","payload":\#(text)}"#.utf8)
        }
    }

    private static func key(_ random: inout SeededGenerator) -> [UInt8] {
        let length = [1, 8, 128, 129, 100_000].randomElement(using: &random) ?? 1
        return Array(String(repeating: "d", count: length).utf8)
    }

    private static func trip(_ random: inout SeededGenerator, driver: String) -> String {
        let count = [0, 1, 2, 50, 200, 201].randomElement(using: &random) ?? 0
        let stops = (0..<count).map { #"{"latitude":\#(Double($0 % 80) / 10),"longitude":\#($0 % 170)}"# }
        let states = ["REQUESTED", "ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED", "CANCELLED"]
        let line = String(repeating: ["_p~iF~ps|U", "??", "A@"].randomElement(using: &random) ?? "??", count: count)
        let context =
            [#"{"a":"b"}"#, nested(&random), #"{"x":"\#(escapes(&random))"}"#].randomElement(using: &random) ?? "{}"
        return """
            {"trip_id":"t\(Int.random(in: 0...2, using: &random))","driver_id":"\(driver)",\
            "state":"\(states.randomElement(using: &random) ?? "")","stops":[\(stops.joined(separator: ","))],\
            "route":{"polyline":"\(line)"},"context":\(context)}
            """
    }

    private static func etaRunner() -> InMemoryRunner {
        let memory = EtaPartition.memorySeconds
        var runner = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: memory),
            processor: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: memory))
        runner.finishRestore()
        return runner
    }

    private static func broadcastRunner() -> InMemoryRunner {
        let memory = EtaPartition.memorySeconds
        var runner = InMemoryRunner(
            layout: BroadcastProcessor.layout(memorySeconds: memory),
            processor: BroadcastProcessor(partition: 0, settings: BroadcastSettings(), memorySeconds: memory))
        runner.finishRestore()
        return runner
    }

    // MARK: Properties

    #if canImport(CAllocationCount)
        @Test("allocations are counted per thread")
        func counting() {
            #expect(AllocatedBytes.during {} == 0)
            var bytes: [UInt8] = []
            let allocated = AllocatedBytes.during { bytes = [UInt8](repeating: 1, count: 1 << 20) }
            #expect(allocated >= 1 << 20 && allocated < 1 << 20 + 4096 && bytes.count == 1 << 20)
        }
    #endif

    @Test(
        "output and allocations for a raw record are bounded by its size",
        arguments: [UInt64(91), 92, 93])
    func raw(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let settings = TrackingSettings()
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            processor: LocationProcessor(partition: 0, settings: settings))
        runner.finishRestore()
        var (worst, worstMemory) = (0.0, 0.0)
        for number in 0..<250 {
            let (key, value) = (Self.key(&random), Self.raw(&random))
            let at = Self.start.advanced(bySeconds: Double(number) * Double.random(in: 0...40, using: &random))
            var allocated = 0
            RecordedTopic(records: [.init(key: key, value: value, timestamp: at)]).with(0, input: 0) { record, _ in
                var record = record
                record.offset = Int64(number)
                allocated = AllocatedBytes.during { runner.process(record) }
            }
            let bytes = Self.written(by: &runner)
            let size = key.count + value.count
            worst = max(worst, Double(bytes - Self.rawBytes) / Double(size))
            worstMemory = max(worstMemory, Double(allocated - Self.rawMemoryBytes) / Double(size))
            #expect(
                allocated <= Self.rawMemoryFactor * size + Self.rawMemoryBytes,
                "seed \(seed), record \(number): \(size) bytes allocated \(allocated)")
            #expect(
                bytes <= Self.rawFactor * size + Self.rawBytes,
                "seed \(seed), record \(number): \(size) bytes wrote \(bytes)")
        }
        print(
            "raw records: at most \(worst) bytes written per byte beyond \(Self.rawBytes), and \(worstMemory) allocated beyond "
                + "\(Self.rawMemoryBytes)")
    }

    @Test(
        "output and allocations for a trip message, and for each fix on the trip, are bounded by its size",
        arguments: [UInt64(94), 95])
    func trips(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var eta = Self.etaRunner()
        var broadcast = Self.broadcastRunner()
        let fixes = LocationPartition().run(
            RecordedTopic(
                records: (0..<300).map {
                    SkewedTraffic.record("d", at: Self.start.advanced(bySeconds: Double($0)), number: $0)
                }))[0]
        // Size of the largest message so far; counted twice, because a driver has up to two trips.
        var largest = 0
        var (etaOffset, tripOffset) = (Int64(0), Int64(0))
        var (worstEta, worstBroadcast) = (0.0, 0.0)
        for (number, fix) in fixes.records.enumerated() {
            let isTrip = number % 3 == 0
            var record = fix
            if isTrip {
                record.value = Array(Self.trip(&random, driver: "d").utf8)
                largest = max(largest, record.value?.count ?? 0)
            }
            var allocated = 0
            RecordedTopic(records: [record]).with(0, input: isTrip ? 1 : 0) { record, _ in
                var record = record
                record.offset = isTrip ? tripOffset : Int64(number)
                allocated = AllocatedBytes.during { eta.process(record) }
            }
            if isTrip { tripOffset += 1 }
            let bytes = Self.written(by: &eta) { output in
                guard output.topic == 0 else { return }
                let allocated = AllocatedBytes.during { broadcast.process(output.record(offset: etaOffset)) }
                etaOffset += 1
                let published = Self.written(by: &broadcast)
                let size = (output.value?.count ?? 0)
                worstBroadcast = max(worstBroadcast, Double(allocated - Self.etaMemoryBytes) / Double(size))
                #expect(
                    allocated <= Self.etaMemoryFactor * size + Self.etaMemoryBytes,
                    "seed \(seed): \(size) bytes allocated \(allocated)")
                #expect(
                    published <= Self.etaFactor * size + Self.etaBytes,
                    "seed \(seed): \(size) bytes wrote \(published)")
            }
            let size = (record.value?.count ?? 0) + 2 * largest
            worstEta = max(worstEta, Double(allocated - Self.tripMemoryBytes) / Double(size))
            #expect(
                allocated <= Self.tripMemoryFactor * size + Self.tripMemoryBytes,
                "seed \(seed), record \(number): \(size) bytes allocated \(allocated)")
            #expect(
                bytes <= Self.tripFactor * size + Self.tripBytes,
                "seed \(seed), record \(number): \(size) bytes wrote \(bytes)")
        }
        print(
            "trips: at most \(worstEta) bytes allocated per byte beyond \(Self.tripMemoryBytes); arrival records: at most "
                + "\(worstBroadcast) beyond \(Self.etaMemoryBytes)")
    }
}
