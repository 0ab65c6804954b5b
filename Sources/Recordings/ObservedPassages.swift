import Codec
import Support

/// Observed times at which vehicles passed the stops of their runs, from another source.
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

    /// Reads plain or gzip CSV files with the columns `trip_id,stop_sequence,observed_passage_ms`; ignores others.
    /// - Throws: ``InputError``.
    package static func read(paths: [String]) throws -> ObservedPassages {
        var passages = ObservedPassages()
        for path in paths { try passages.add(path) }
        return passages
    }

    private mutating func add(_ path: String) throws {
        let records = try CSVRecordReader(LineReader(path: path))
        guard let header = try records.next() else {
            throw InputError("\(path): expected \(Self.expectation). The file is empty.")
        }
        let names = CSVLine.names(header)
        guard let trip = names.firstIndex(of: "trip_id"), let stop = names.firstIndex(of: "stop_sequence"),
            let passage = names.firstIndex(of: "observed_passage_ms")
        else {
            throw InputError("\(path): expected \(Self.expectation), found \(FaultText.shortened(header, to: 200))")
        }
        while let record = try records.next() {
            let cells = CSVLine.cells(record)
            guard cells.count > max(trip, stop, passage), let sequence = Int(cells[stop]),
                let passed = Int64(cells[passage]).map({ Timestamp(milliseconds: $0) }), passed.isReadable
            else { continue }
            times[Call(tripID: cells[trip], stopSequence: sequence)] = passed
        }
    }
}
