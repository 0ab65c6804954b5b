import Recordings
import Support

/// Files of traces, vehicle logs and passages.
final class RecordingTarget: FuzzTarget {
    static let name = "recording"
    private let folder = ScratchFolder()

    func run(_ input: ByteSlice) {
        // What begins like gzip is unpacked by another program, which is not ours to test.
        if input.count > 1, input[0] == 0x1f, input[1] == 0x8b { return }
        let path = folder.write(input, to: "recording.csv")
        holdLines(path, input)
        if let log = try? VehicleLog.read(path: path) {
            for vehicle in log.vehicles { holdRanges(vehicle) }
        }
        if let passages = try? ObservedPassages.read(paths: [path]) {
            for time in passages.times.values { hold(time, "A passage") }
        }
    }

    private func holdRanges(_ vehicle: VehicleLog.Vehicle) {
        let trace = vehicle.trace
        hold(
            trace.fixes.count == vehicle.labels.count && trace.fixes.count == trace.truth.count
                && trace.fixes.count == trace.isSpoofed.count, "A trace has lists of different lengths.")
        for fix in trace.fixes {
            holdPlace(fix.coordinate)
            hold(fix.deviceAt, "The time of a row")
            hold(fix.headingDegrees, in: 0...(360.0.nextDown), "The heading")
            hold(fix.speedMetersPerSecond, in: 0...Double.greatestFiniteMagnitude, "The speed")
            hold(fix.accuracyMeters, in: 0...Double.greatestFiniteMagnitude, "The accuracy")
        }
    }

    /// Lines are what lies between line feeds, without a carriage return before one, and the first one without a byte
    /// order mark.
    private func holdLines(_ path: String, _ input: ByteSlice) {
        guard let reader = try? LineReader(path: path) else { return hold(false, "A file cannot be opened.") }
        var pieces = input.buffer.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if pieces.last?.isEmpty == true { pieces.removeLast() }
        for (index, piece) in pieces.enumerated() {
            var line = piece.last == UInt8(ascii: "\r") ? piece.dropLast() : piece
            if index == 0, line.starts(with: [0xef, 0xbb, 0xbf]) { line = line.dropFirst(3) }
            guard let read = try? reader.next() else { return hold(false, "A line is missing.") }
            hold(read.buffer.elementsEqual(line), "A line is read as another.")
        }
        hold((try? reader.next()) == .some(nil), "There are more lines than line feeds.")
    }
}
