import Foundation
import Testing

/// Folder of recorded traces of real vehicles: `SIGHTLINE_DATA`, or `shared/data` in a parent folder of the checkout.
package enum RecordingFolder {
    package static let absence: Comment = "No recordings found; set SIGHTLINE_DATA to their folder."

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

    /// Recordings without an attack; `spoof_rover` contains one and is excluded.
    package static let honest = [
        "truth/comma2k19_highway", "truth/gsdc_phones_2020-05-14", "truth/urban_canyon_hongkong", "traces/a60_phones",
        "traces/barefoot_munich", "traces/cabspotting_sf", "traces/capmetro_fleet_day", "traces/doha_phone",
        "traces/envirocar_de", "traces/fcd_oberfranken", "traces/gotrack_aracaju", "traces/ndsbr_curitiba",
    ]

    /// Returns the path of a recording; `nil` if no folder was found.
    package static func path(_ name: String) -> String? { url?.appendingPathComponent("\(name).csv.gz").path }
}
