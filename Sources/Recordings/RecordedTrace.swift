import Domain

/// The rows of a trace, in the order of the file.
package struct RecordedTrace: Sendable {
    package let id: String
    package let driverID: String
    package var fixes: [Fix] = []
    /// Ground truth per fix; `nil` if unknown.
    package var truth: [Coordinate?] = []
    /// Whether the recording marks each fix as forged.
    package var isSpoofed: [Bool] = []

    package init(id: String, driverID: String) {
        self.id = id
        self.driverID = driverID
    }

    package mutating func append(_ row: TraceRow) {
        var fix = Fix(coordinate: row.coordinate)
        fix.deviceAt = row.at
        // As in raw records, an accuracy of 0 has its own flag, and a negative accuracy marks the position as invalid.
        fix.accuracyMeters = row.accuracyMeters.flatMap { $0 > 0 ? $0 : nil }
        fix.hasZeroAccuracy = row.accuracyMeters == 0
        fix.hasInvalidPosition = row.accuracyMeters.map { $0 < 0 } ?? false
        fix.speedMetersPerSecond = row.speedMetersPerSecond.flatMap { $0 >= 0 ? $0 : nil }
        fix.headingDegrees = row.headingDegrees.flatMap {
            (0...360).contains($0) ? $0.truncatingRemainder(dividingBy: 360) : nil
        }
        fix.altitudeMeters = row.altitudeMeters
        fix.contentHash = row.contentHash
        fixes.append(fix)
        truth.append(row.trueCoordinate)
        isSpoofed.append(row.isSpoofed)
    }

    /// Reads a CSV or GPX recording, plain or gzip; `-` is standard input.
    ///
    /// Traces are in the order of their first rows. Unreadable rows are counted in the tally.
    /// - Throws: ``InputError``, also if no row is readable.
    package static func read(path: String) throws -> (traces: [RecordedTrace], tally: ReadingTally) {
        let log = try VehicleLog.read(path: path)
        return (log.vehicles.map(\.trace), log.tally)
    }
}

extension TraceRow {
    /// Hash of all reported fields (FNV-1a, 64 bit), by which repeated fixes are detected.
    fileprivate var contentHash: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ value: UInt64) {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                hash = (hash ^ (value >> shift & 0xff)) &* 0x0000_0100_0000_01b3
            }
        }
        mix(UInt64(bitPattern: at.milliseconds))
        for value in [
            coordinate.latitude, coordinate.longitude, accuracyMeters, speedMetersPerSecond, headingDegrees,
            altitudeMeters,
        ] {
            mix(value?.bitPattern ?? .max)
        }
        return hash
    }
}
