import Model

/// The rows of one trace of a recording, in the order of the file.
package struct RecordedTrace: Sendable {
    package let id: String
    package let driverID: String
    package var fixes: [Fix] = []
    /// Per fix: where a reference says that the vehicle was; `nil` where it says nothing.
    package var truth: [Coordinate?] = []
    /// Per fix: whether the recording marks it as forged.
    package var isSpoofed: [Bool] = []

    package init(id: String, driverID: String) {
        self.id = id
        self.driverID = driverID
    }

    package mutating func append(_ row: TraceRow) {
        var fix = Fix(coordinate: row.coordinate)
        fix.deviceAt = row.at
        // As readers of raw records have it: 0 means that the device gave none, and a negative number is none.
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

    /// Reads a recording whole, CSV or GPX; plain or gzip, `-` is standard input.
    ///
    /// Traces come in the order of their first rows. Rows that cannot be read are left out, and in the tally.
    /// - Throws: ``InputError``, also when no row can be read.
    package static func read(path: String) throws -> (traces: [RecordedTrace], tally: ReadingTally) {
        let log = try VehicleLog.read(path: path)
        return (log.vehicles.map(\.trace), log.tally)
    }
}

extension Coordinate {
    var isOnGlobe: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }
}

extension TraceRow {
    /// A hash over every field that a device sent, for telling a repetition from a change (FNV-1a, 64 bit).
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
