import Codec
import Support

/// Reference times at which vehicles passed the stops of their runs, independent of their positions.
package struct ObservedPassages: Sendable {
    /// A stop of a run.
    package struct Call: Hashable, Sendable {
        package var tripID: String
        package var stopSequence: Int

        package init(tripID: String, stopSequence: Int) {
            self.tripID = tripID
            self.stopSequence = stopSequence
        }
    }

    private static let expectation = "CSV with columns trip_id, stop_sequence, observed_passage_ms"

    package private(set) var times: [Call: Timestamp] = [:]

    /// Reads the columns `trip_id,stop_sequence,observed_passage_ms` of plain or gzip CSV files.
    /// - Throws: ``InputError``.
    package static func read(paths: [String]) throws -> ObservedPassages {
        var passages = ObservedPassages()
        for path in paths { try passages.add(path) }
        return passages
    }

    private mutating func add(_ path: String) throws {
        let table = try CSVTable(LineReader(path: path))
        guard !table.header.isEmpty else {
            throw InputError("\(path): expected \(Self.expectation). The file is empty.")
        }
        guard ["trip_id", "stop_sequence", "observed_passage_ms"].allSatisfy({ table.places[$0] != nil }) else {
            throw InputError(
                "\(path): expected \(Self.expectation), found \(FaultText.shortened(table.header, to: 200))")
        }
        while let row = try table.next() {
            guard let trip = row["trip_id"], let sequence: Int = row.number("stop_sequence"),
                let passed = row.number("observed_passage_ms").map({ Timestamp(milliseconds: $0) }), passed.isReadable
            else { continue }
            times[Call(tripID: trip, stopSequence: sequence)] = passed
        }
    }
}
