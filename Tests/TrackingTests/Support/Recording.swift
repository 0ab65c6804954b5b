import Foundation
import Recordings

@testable import Tracking

/// Recorded traces of real vehicles, where the data is at hand: under `SIGHTLINE_DATA`, or beside the checkout in
/// `shared/data`.
struct Recording {
    var name: String
    var traces: [RecordedTrace]

    static let directory: URL? = {
        let environment = ProcessInfo.processInfo.environment["SIGHTLINE_DATA"]
        var candidates = environment.map { [URL(fileURLWithPath: $0)] } ?? []
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<6 {
            folder.deleteLastPathComponent()
            candidates.append(folder.appendingPathComponent("shared/data"))
        }
        return candidates.first { FileManager.default.fileExists(atPath: $0.appendingPathComponent("truth").path) }
    }()

    /// Genuine recordings; `spoof_rover`, which holds an attack, is not among them.
    static let honest = [
        "truth/comma2k19_highway", "truth/gsdc_phones_2020-05-14", "truth/urban_canyon_hongkong", "traces/a60_phones",
        "traces/barefoot_munich", "traces/cabspotting_sf", "traces/capmetro_fleet_day", "traces/doha_phone",
        "traces/envirocar_de", "traces/fcd_oberfranken", "traces/gotrack_aracaju", "traces/ndsbr_curitiba",
    ]

    /// Reads one recording.
    init(_ name: String) throws {
        self.name = name
        guard let directory = Self.directory else { throw CocoaError(.fileNoSuchFile) }
        traces = try RecordedTrace.read(path: directory.appendingPathComponent("\(name).csv.gz").path).traces
    }
}
