import Foundation
import Testing

/// Where the recorded traces of real vehicles are, if they are at hand: under `SIGHTLINE_DATA`, or beside the checkout
/// in `shared/data`.
package enum RecordingFolder {
    package static let absence: Comment = "The recordings are not here; set SIGHTLINE_DATA to their folder."

    package static let url: URL? = {
        let environment = ProcessInfo.processInfo.environment["SIGHTLINE_DATA"]
        var candidates = environment.map { [URL(fileURLWithPath: $0)] } ?? []
        var folder = Checkout.root
        for _ in 0..<3 {
            folder.deleteLastPathComponent()
            candidates.append(folder.appendingPathComponent("shared/data"))
        }
        return candidates.first { FileManager.default.fileExists(atPath: $0.appendingPathComponent("truth").path) }
    }()

    /// Genuine recordings; `spoof_rover`, which holds an attack, is not among them.
    package static let honest = [
        "truth/comma2k19_highway", "truth/gsdc_phones_2020-05-14", "truth/urban_canyon_hongkong", "traces/a60_phones",
        "traces/barefoot_munich", "traces/cabspotting_sf", "traces/capmetro_fleet_day", "traces/doha_phone",
        "traces/envirocar_de", "traces/fcd_oberfranken", "traces/gotrack_aracaju", "traces/ndsbr_curitiba",
    ]

    /// The path of a recording.
    package static func path(_ name: String) -> String? { url?.appendingPathComponent("\(name).csv.gz").path }
}
