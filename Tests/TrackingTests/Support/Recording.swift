import Foundation

@testable import Tracking

/// Recorded traces of real vehicles, where the data is at hand: under `SIGHTLINE_DATA`, or beside the checkout in
/// `shared/data`.
struct Recording {
    struct Trace {
        var id: String
        var fixes: [Fix]
        /// Per fix: where the vehicle really was, where known.
        var truth: [Coordinate?]
        /// Per fix: whether the recording marks it as forged.
        var isSpoofed: [Bool]
    }

    var name: String
    var traces: [Trace]

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

    /// Reads one recording; rows out of range are skipped, as the reader before the judge would.
    init(_ name: String) throws {
        self.name = name
        guard let directory = Self.directory else { throw CocoaError(.fileNoSuchFile) }
        let lines = try Self.lines(of: directory.appendingPathComponent("\(name).csv.gz"))
        traces = []
        guard let header = lines.first?.split(separator: ",", omittingEmptySubsequences: false) else { return }
        let columns = Dictionary(uniqueKeysWithValues: header.enumerated().map { (String($1), $0) })
        var index: [String: Int] = [:]
        for line in lines.dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            func number(_ column: String) -> Double? {
                columns[column].flatMap { $0 < cells.count ? Double(cells[$0]) : nil }
            }
            guard let latitude = number("latitude"), let longitude = number("longitude"),
                let milliseconds = number("timestamp_ms")
            else { continue }
            let id = String(cells[0])
            if index[id] == nil {
                index[id] = traces.count
                traces.append(Trace(id: id, fixes: [], truth: [], isSpoofed: []))
            }
            guard let slot = index[id] else { continue }
            var fix = Fix(coordinate: Coordinate(latitude: latitude, longitude: longitude))
            fix.deviceAt = Timestamp(milliseconds: Int64(milliseconds))
            if let accuracy = number("accuracy_m") {
                fix.accuracyMeters = accuracy > 0 ? accuracy : nil
                fix.hasZeroAccuracy = accuracy == 0
            }
            fix.speedMetersPerSecond = number("speed_mps").flatMap { $0 >= 0 ? $0 : nil }
            fix.headingDegrees = number("heading_deg").flatMap { (0..<360).contains($0) ? $0 : nil }
            fix.altitudeMeters = number("altitude_m")
            fix.contentHash = Self.contentHash(line)
            traces[slot].fixes.append(fix)
            let truth = number("true_latitude").flatMap { latitude in
                number("true_longitude").map { Coordinate(latitude: latitude, longitude: $0) }
            }
            traces[slot].truth.append(truth)
            traces[slot].isSpoofed.append(number("spoofed") == 1)
        }
    }

    private static func lines(of file: URL) throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    private static func contentHash(_ line: Substring) -> UInt64 {
        line.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
