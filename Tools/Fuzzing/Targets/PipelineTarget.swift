import Codec
import Domain
import Processing
import Support

/// Fuzz target for records with arbitrary bytes, times and order, processed by all three processors.
///
/// Every step uses one byte of the input for the kind of record, at least one for its time, and more for its content.
final class PipelineTarget: FuzzTarget {
    static let name = "pipeline"
    private let outputs = OutputProperties()
    private let keys: [[UInt8]] = ["d7", "d8", "d 9", ""].map { Array($0.utf8) }
    private let states = [
        "REQUESTED", "ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED", "CANCELLED", "searching", "?",
    ]
    private static let maximumSteps = 64

    func run(_ input: ByteSlice) {
        var partition = PipelinePartition(outputs: outputs)
        var bytes = ByteSupply(input)
        var steps = 0
        while !bytes.isEmpty, steps < Self.maximumSteps {
            steps += 1
            let kind = bytes.byte()
            partition.at = bytes.time(after: partition.at)
            let key = keys[Int(kind >> 6)]
            switch kind & 7 {
            case 0...3: partition.processRaw(key: key, value: fix(&bytes))
            case 4: partition.processRaw(key: key, value: bytes.run())
            case 5: partition.processTrip(key: key, value: trip(&bytes))
            case 6: partition.processTrip(key: key, value: kind & 8 == 0 ? bytes.run() : nil)
            default: partition.processVerdict(key: key, value: bytes.run())
            }
        }
    }

    /// Creates a fix near the route of the trips, or anywhere.
    private func fix(_ bytes: inout ByteSupply) -> [UInt8] {
        let flags = bytes.byte()
        let isFar = flags & 1 != 0
        let latitude = isFar ? Double(bytes.short()) / 364 : 48.1374 + Double(bytes.short()) * 1e-6
        let longitude = isFar ? Double(bytes.short()) / 182 : 11.5755 + Double(bytes.short()) * 1e-6
        var text = #"{"type":"location","latitude":\#(latitude),"longitude":\#(longitude)"#
        text += #","sequence":\#(Self.sequence(&bytes)),"session_id":"s\#(flags >> 6)""#
        if flags & 2 != 0 { text += #","accuracy_meters":\#(bytes.byte())"# }
        if flags & 4 != 0 { text += #","speed_mps":\#(Double(bytes.short()) / 100),"heading":\#(bytes.byte())"# }
        if flags & 8 != 0 { text += #","timestamp":\#(bytes.number())"# }
        if flags & 16 != 0 { text += #","trip_id":"t1","is_mock":true,"altitude_meters":\#(bytes.short())"# }
        if flags & 32 != 0 { text += #","occupancy_percent":\#(bytes.byte()),"source":"cached""# }
        return Array((text + "}").utf8)
    }

    private static func sequence(_ bytes: inout ByteSupply) -> Int64 {
        let byte = bytes.byte()
        return byte == 0xFF ? bytes.number() : Int64(byte)
    }

    private func trip(_ bytes: inout ByteSupply) -> [UInt8] {
        let flags = bytes.byte()
        let state = states[Int(flags & 7)]
        var text = #"{"trip_id":"t\#(flags >> 6)","state":"\#(state)","kind":"\#(flags & 8 == 0 ? "ride" : "transit")""#
        let stops = (0..<bytes.byte() % 4).map { number in
            let latitude = 48.1374 + Double(bytes.short()) * 1e-5
            return
                #"{"stop_id":"\#(["pickup", "dropoff", "a", "a"][Int(number)])","latitude":\#(latitude),"longitude":11.58"#
                + #","scheduled_at":\#(bytes.number())}"#
        }
        text += #","stops":[\#(stops.joined(separator: ","))],"route_id":"u1","queue_position":\#(flags >> 5 & 1)"#
        if flags & 16 != 0 {
            let points = (0..<bytes.byte() % 8).map { _ in
                Coordinate(latitude: 48.1374, longitude: 11.57 + Double(bytes.short()) * 1e-5)
            }
            let line = Polyline.encode(points, precision: 5).replacing("\\", with: "\\\\")
            text += #","route":{"polyline":"\#(line)","duration_seconds":\#(bytes.byte())}"#
        }
        text += #","version":\#(bytes.byte()),"changed_at":\#(bytes.number())"#
        return Array((text + "}").utf8)
    }
}

/// One partition of the three processors in memory, connected in a chain.
struct PipelinePartition: ~Copyable {
    var at = Scene.start
    private var location: InMemoryRunner
    private var eta: InMemoryRunner
    private var broadcast: InMemoryRunner
    private let outputs: OutputProperties
    /// Bytes of all trip messages so far.
    private var tripBytes = 0
    private var offsets = (raw: Int64(0), verdicts: Int64(0), trips: Int64(0), etas: Int64(0))

    init(outputs: OutputProperties) {
        self.outputs = outputs
        location = Scene.locationRunner()
        eta = Scene.etaRunner()
        broadcast = Scene.broadcastRunner()
        location.finishRestore()
        eta.finishRestore()
        broadcast.finishRestore()
    }

    mutating func processRaw(key: [UInt8], value: [UInt8]) {
        record(key, value).with(offset: offsets.raw) { location.process($0) }
        offsets.raw += 1
        var written = 0
        location.drainOutputs { output in
            outputs.check(output, of: .location)
            written += output.byteCount
            guard output.topic == 0 else { return }
            eta.process(output.record(input: 0, offset: offsets.verdicts))
            offsets.verdicts += 1
        }
        outputs.checkCost(written, input: key.count + value.count, of: .location)
        forward(input: written)
    }

    mutating func processTrip(key: [UInt8], value: [UInt8]?) {
        record(key, value).with(input: 1, offset: offsets.trips) { eta.process($0) }
        offsets.trips += 1
        tripBytes += value?.count ?? 0
        forward(input: key.count + (value?.count ?? 0))
    }

    /// Processes a record of the verdict topic that the location worker did not write.
    mutating func processVerdict(key: [UInt8], value: [UInt8]) {
        record(key, value).with(offset: offsets.verdicts) { eta.process($0) }
        offsets.verdicts += 1
        forward(input: key.count + value.count)
    }

    private func record(_ key: [UInt8], _ value: [UInt8]?) -> Scene.Record {
        Scene.Record(at: at, key: key, value: value)
    }

    /// Forwards the outputs of the eta processor, whose last inputs had `input` bytes, to the broadcast processor.
    private mutating func forward(input: Int) {
        var etaBytes = 0
        eta.drainOutputs { output in
            outputs.check(output, of: .eta)
            etaBytes += output.byteCount
            guard output.topic == 0 else { return }
            broadcast.process(output.record(offset: offsets.etas))
            offsets.etas += 1
        }
        // Up to eight punctuations can precede a record, and each publishes every trip again.
        outputs.checkCost(etaBytes, input: input + 10 * tripBytes, of: .eta)
        var updateBytes = 0
        broadcast.drainOutputs { output in
            outputs.check(output, of: .broadcast)
            updateBytes += output.byteCount
        }
        outputs.checkCost(updateBytes, input: etaBytes, of: .broadcast)
    }
}

/// Checks of properties that all outputs of the processors must have.
final class OutputProperties {
    enum Writer {
        case location, eta, broadcast
    }

    private let verdicts = VerdictReader()
    private let warnings = WarningReader()
    private let tripWarnings = TripWarningReader()
    private let etas = TripEtaReader()
    private let updates = RiderUpdateReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    /// Expects that the size of outputs is at most a multiple of the size of inputs plus a constant.
    ///
    /// `input`: bytes of the record, and of the stored data that the record makes the processor publish again.
    func checkCost(_ written: Int, input: Int, of writer: Writer) {
        let factor =
            switch writer {
            case .location: 100
            case .eta: 40
            case .broadcast: 8
            }
        expect(written <= factor * input + 1 << 14, "The \(writer) processor wrote \(written) bytes for \(input).")
    }

    /// Expects that an output can be read again; ignores dead letters.
    func check(_ output: InMemoryRunner.Output, of writer: Writer) {
        guard let value = output.value, !output.copiesInputHeaders else { return }
        expectText(value)
        switch (writer, output.topic) {
        case (.location, 0):
            let record = require(verdicts.read(value), "A verdict is unreadable: \(value.string)")
            expect(record.eventID == output.event, "A verdict has another event id than its record.")
            expect(record.risk, in: 0...1, "The risk")
        case (.location, 2): _ = require(warnings.read(value), "A warning is unreadable: \(value.string)")
        case (.eta, 0): _ = require(etas.read(value, into: &eta), "Arrival times are unreadable: \(value.string)")
        case (.eta, 3):
            _ = require(tripWarnings.read(value), "A trip warning is unreadable: \(value.string)")
        case (.broadcast, 0): _ = require(updates.read(value), "An update is unreadable: \(value.string)")
        default: break
        }
    }
}

/// Splits an input into numbers and runs of bytes; bytes after its end are 0.
struct ByteSupply {
    private let bytes: ByteSlice
    private var cursor = 0

    init(_ bytes: ByteSlice) { self.bytes = bytes }

    var isEmpty: Bool { cursor >= bytes.count }

    mutating func byte() -> UInt8 {
        guard cursor < bytes.count else { return 0 }
        cursor += 1
        return bytes[cursor - 1]
    }

    mutating func short() -> Int16 { Int16(bitPattern: UInt16(byte()) | UInt16(byte()) << 8) }

    /// Returns a number: usually a time near the scene's start, from one byte, or any value, from nine bytes.
    mutating func number() -> Int64 {
        let kind = byte()
        guard kind >= 0xF0 else { return 1_770_000_000_000 + Int64(Int8(bitPattern: kind)) * 1000 }
        var value: UInt64 = 0
        for shift in 0..<8 { value |= UInt64(byte()) << UInt64(8 * shift) }
        return Int64(bitPattern: value)
    }

    /// Returns a time: usually shortly after `last`, sometimes any value.
    mutating func time(after last: Timestamp) -> Timestamp {
        let step = byte()
        if step == 0xFF { return Timestamp(milliseconds: number()) }
        return Timestamp(milliseconds: last.milliseconds &+ Int64(step) * (step >= 0xF0 ? 10_000 : 50))
    }

    /// Returns a run of bytes; the first byte is its length.
    mutating func run() -> [UInt8] {
        let count = Int(byte())
        return (0..<min(count, bytes.count - cursor)).map { _ in byte() }
    }
}
