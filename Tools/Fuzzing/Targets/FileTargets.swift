import Foundation
import Recordings
import Support

/// Fuzz target for CSV files of traces and vehicle logs.
final class RecordingTarget: FuzzTarget {
    static let name = "recording"
    private let folder = ScratchFolder()

    func run(_ input: ByteSlice) {
        // Skips gzip input, which the reader would decompress in another process.
        if input.count > 1, input[0] == 0x1f, input[1] == 0x8b { return }
        let path = folder.write(input, to: "recording.csv")
        expectLines(path, input)
        if let log = try? VehicleLog.read(path: path) {
            for vehicle in log.vehicles { expectRanges(vehicle) }
        }
    }

    private func expectRanges(_ vehicle: VehicleLog.Vehicle) {
        let trace = vehicle.trace
        expect(
            trace.fixes.count == vehicle.labels.count && trace.fixes.count == trace.truth.count
                && trace.fixes.count == trace.isSpoofed.count, "The lists of a trace have different lengths.")
        for fix in trace.fixes {
            expectCoordinate(fix.coordinate)
            expect(fix.deviceAt, "The time of a row")
            expect(fix.headingDegrees, in: 0...(360.0.nextDown), "The heading")
            expect(fix.speedMetersPerSecond, in: 0...Double.greatestFiniteMagnitude, "The speed")
            expect(fix.accuracyMeters, in: 0...Double.greatestFiniteMagnitude, "The accuracy")
        }
    }

    /// Expects lines that are split at line feeds, without trailing carriage returns and a leading byte order mark.
    private func expectLines(_ path: String, _ input: ByteSlice) {
        guard let reader = try? LineReader(path: path) else { fail("A file cannot be opened.") }
        var pieces = input.buffer.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if pieces.last?.isEmpty == true { pieces.removeLast() }
        for (index, piece) in pieces.enumerated() {
            var line = piece.last == UInt8(ascii: "\r") ? piece.dropLast() : piece
            if index == 0, line.starts(with: [0xef, 0xbb, 0xbf]) { line = line.dropFirst(3) }
            guard let read = try? reader.next() else { fail("A line is missing.") }
            expect(read.buffer.elementsEqual(line), "A line has other bytes.")
        }
        expect((try? reader.next()) == .some(nil), "There are too many lines.")
    }
}

/// Fuzz target for GTFS timetables: the files of a feed, separated by the byte 255, which never occurs in UTF-8.
final class FeedTarget: FuzzTarget {
    static let name = "feed"
    private let folder = ScratchFolder()
    private let names = ["agency.txt", "trips.txt", "stop_times.txt", "stops.txt", "shapes.txt"]

    func run(_ input: ByteSlice) {
        var parts = input.buffer.split(separator: 0xFF, maxSplits: names.count - 1, omittingEmptySubsequences: false)
        while parts.count < names.count { parts.append(input.buffer[0..<0]) }
        for (name, part) in zip(names, parts) {
            if part.starts(with: [0x1f, 0x8b]) { return }
            _ = folder.write(ByteSlice(UnsafeRawBufferPointer(rebasing: part)), to: name)
        }
        guard let feed = try? GTFSFeed.read(path: folder.path, tripIDs: ["t1", "t2"]) else { return }
        expect(feed.trips.keys.allSatisfy { ["t1", "t2"].contains($0) }, "An unrequested trip was read.")
        feed.stops.values.forEach(expectCoordinate)
        for points in feed.shapes.values { points.forEach(expectCoordinate) }
        for trip in feed.trips.values {
            expect(
                zip(trip.stopTimes, trip.stopTimes.dropFirst()).allSatisfy { $0.sequence <= $1.sequence },
                "Stop times are not in order.")
            for call in trip.stopTimes {
                for time in [call.arrivalSeconds, call.departureSeconds] {
                    expect(time.map { (0..<3_600_000).contains($0) } ?? true, "A stop time is \(time ?? 0) s.")
                }
            }
            if let start = feed.dayStart(trip.routeID) { _ = feed.date(of: start) }
        }
    }
}

/// A temporary folder whose files are overwritten for every input.
final class ScratchFolder {
    let path: String

    init() {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-fuzz-\(getpid())")
        path = folder.path
        guard (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil else {
            preconditionFailure("Cannot create a temporary folder.")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ bytes: ByteSlice, to name: String) -> String {
        let file = "\(path)/\(name)"
        guard FileManager.default.createFile(atPath: file, contents: Data(bytes.buffer)) else {
            preconditionFailure("Cannot write a temporary file.")
        }
        return file
    }
}
