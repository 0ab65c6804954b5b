import Codec
import Domain
import Foundation
import Simulation
import Support

/// The files of a simulated fleet: a recording with reference positions, and trip messages.
///
/// The same configuration gives the same bytes. There is no warm-up, so trips are recorded from their start.
struct FleetFiles {
    private static let header =
        "trace_id,driver_id,timestamp_ms,latitude,longitude,accuracy_m,speed_mps,heading_deg,altitude_m,true_latitude,"
        + "true_longitude\n"

    private let reader = RawRecordReader()
    private var rows: [(at: Timestamp, line: String)] = []
    private var messages: [[UInt8]] = []

    init(_ configuration: FleetConfiguration, seconds: Double) {
        var configuration = configuration
        configuration.warmUpSeconds = 0
        var simulation = FleetSimulation(configuration: configuration)
        var events: [SimulatedEvent] = []
        simulation.advance(to: configuration.start.advanced(bySeconds: seconds)) { events.append($0) }
        for event in events {
            switch event {
            case .rawRecord(let record): if !record.isRepeat { add(record) }
            case .tripMessage(let record): if let value = record.value { messages.append(value) }
            }
        }
        // Fixes buffered in tunnels are sorted by time, as a logger would write them.
        rows.sort { $0.at < $1.at }
    }

    var summary: String { "\(rows.count) fixes and \(messages.count) trip messages" }

    /// - Throws: ``InputError`` if a file cannot be written.
    func write(csv: String, trips: String?) throws {
        try ReportFile.write(Data((Self.header + rows.map(\.line).joined()).utf8), to: csv)
        guard let trips else { return }
        try ReportFile.write(messages.reduce(into: Data()) { $0.append(contentsOf: $1 + [10]) }, to: trips)
    }

    private mutating func add(_ record: SimulatedEvent.RawRecord) {
        let result = ByteSlice.withBytes(of: record.key) { key in
            record.value.withUnsafeBytes { reader.read(key: key, value: ByteSlice($0)) }
        }
        guard case .fixes = result, reader.fixes.count == record.fixes.count else { return }
        for (raw, truth) in zip(reader.fixes, record.fixes) {
            rows.append((truth.takenAt, line(raw.fix, truth)))
        }
    }

    private func line(_ fix: Fix, _ truth: FixGroundTruth) -> String {
        func text(_ number: Double?) -> String { number.map { "\($0)" } ?? "" }
        let cells = [
            truth.sessionID, truth.driverID, "\(truth.takenAt.milliseconds)", "\(truth.reported.latitude)",
            "\(truth.reported.longitude)", text(fix.accuracyMeters), text(fix.speedMetersPerSecond),
            text(fix.headingDegrees), text(fix.altitudeMeters),
            // Seven decimals are about 1 cm.
            "\(truth.coordinate.latitude.rounded(toDecimals: 7))",
            "\(truth.coordinate.longitude.rounded(toDecimals: 7))",
        ]
        return cells.joined(separator: ",") + "\n"
    }
}
