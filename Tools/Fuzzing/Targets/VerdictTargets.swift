import Codec
import Domain
import Support

/// Fuzz target for verdicts, as read by other workers.
final class VerdictTarget: FuzzTarget {
    static let name = "verdict"
    private let reader = VerdictReader()
    private let general = VerdictReader()

    func run(_ input: ByteSlice) {
        let record = reader.read(input)
        withLeadingSpace(before: input) {
            let other = general.read($0)
            expect((record == nil) == (other == nil), "Only one reader accepts the verdict.")
            guard let record, let other else { return }
            expect(record == other, "The readers differ: \(record) and \(other).")
            expectRanges(record)
        }
    }

    private func expectRanges(_ record: VerdictRecord) {
        expect(record.risk, in: 0...1, "The risk")
        expectText(record.driverID)
        for text in [record.sessionID, record.tripID] where !text.isEmpty { expectText(text) }
        expectCoordinate(record.raw.coordinate)
        expect(record.estimate != nil || record.verdict != .accepted, "An accepted fix has no estimate.")
        expect(
            record.estimate == nil || record.verdict == .accepted || record.verdict == .throttled,
            "A rejected fix has an estimate.")
        if let estimate = record.estimate {
            expectCoordinate(estimate.coordinate)
            expect(estimate.headingDegrees, in: 0...(360.0.nextDown), "The heading")
            expect(estimate.speedMetersPerSecond, in: 0...1e15, "The speed")
            expect(estimate.accuracyMeters, in: 0...1e15, "The accuracy")
        }
        expect(record.deviceAt, "device_at")
        expect(record.fixedAt, "fixed_at")
        expect(record.receivedAt, "received_at")
        expect(record.batteryPercent.map { (0...10_000).contains($0) } ?? true, "The battery is out of range.")
        expect(record.occupancyPercent.map { (0...10_000).contains($0) } ?? true, "The occupancy is out of range.")
    }
}

/// Fuzz target for warnings, as read by the history sink.
final class WarningTarget: FuzzTarget {
    static let name = "warning"
    private let reader = WarningReader()

    func run(_ input: ByteSlice) {
        guard let record = reader.read(input) else { return }
        expect(record.risk, in: 0...1, "The risk")
        expect(record.at, "The time")
        expectText(record.message)
        expectIdentifier(record.driverID.string)
        var driver = ByteWriter()
        driver.append(record.driverID)
        let (event, warning, at) = (record.eventID, record.warning, record.at)
        withWritten({
            WarningWriter.write(
                event: event, driverID: driver.bytes, warning: warning, risk: record.risk, at: at, into: &$0)
        }) { bytes in
            let again = require(reader.read(bytes), "A written warning is unreadable: \(bytes.string)")
            expect(
                again.eventID == event && again.driverID == driver.bytes && again.at == at
                    && again.warning.reason == warning.reason && again.warning.action == warning.action
                    && again.warning.evidence.fixes == warning.evidence.fixes, "A round trip changes a warning.")
        }
    }
}

/// Fuzz target for watermark headers and event ids, which any producer of a topic can write.
final class HeaderTarget: FuzzTarget {
    static let name = "header"

    func run(_ input: ByteSlice) {
        if let event = EventID(input) { expectText(of: event) }
        if let event = EventID(input.buffer, at: 0) {
            withBytes(of: { EventID.write(event, into: &$0) }) {
                expect(
                    $0.buffer.elementsEqual(input.buffer.prefix(EventID.byteCount)), "A round trip changes an event id."
                )
            }
        }
        guard let header = WatermarkHeader(input) else { return expectNoAdvance(by: input) }
        expect(WatermarkHeader.event(of: input) == header.event, "The readers of a header give different event ids.")
        withBytes(of: { WatermarkHeader.encode(event: header.event, positions: header.positions, into: &$0) }) {
            expect($0 == input, "A round trip changes a watermark header.")
        }
        var positions = header.positions.map { _ in Int64.min }
        expect(WatermarkHeader.raise(&positions, by: input), "A valid header does not advance positions.")
        expect(positions == header.positions, "A header advances positions to other values.")
        expectText(of: header.event)
    }

    private func expectNoAdvance(by input: ByteSlice) {
        for count in 0...3 {
            var positions = Array(repeating: Int64.min, count: count)
            expect(!WatermarkHeader.raise(&positions, by: input), "An invalid header advances positions.")
        }
    }

    /// Expects one text per event id, which can be parsed again if a broker could have assigned the offset.
    private func expectText(of event: EventID) {
        withBytes(of: { event.write(into: &$0) }) {
            expect($0.string == event.description, "An event id has two texts: \($0.string) and \(event.description).")
            guard event.partition >= 0, event.offset >= 0, event.fix.map({ $0 < 0xFFFE }) ?? true else { return }
            expect(EventID($0) == event, "The text \($0.string) gives another event id.")
        }
    }
}
