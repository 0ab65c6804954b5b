import Foundation
import TestSupport

@testable import Recordings

/// Recorded traces of real vehicles, if the data is available; see ``RecordingFolder``.
struct Recording {
    var name: String
    var traces: [RecordedTrace]

    static let directory = RecordingFolder.url
    static let honest = RecordingFolder.honest
    static let absence = RecordingFolder.absence

    init(_ name: String) throws {
        self.name = name
        guard let directory = Self.directory else { throw CocoaError(.fileNoSuchFile) }
        traces = try RecordedTrace.read(path: directory.appendingPathComponent("\(name).csv.gz").path).traces
    }
}
