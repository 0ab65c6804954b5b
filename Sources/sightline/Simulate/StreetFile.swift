import Domain
import Foundation
import Simulation

/// The streets of a simulated town for the live map: `/map/streets.json`.
struct StreetFile: Encodable {
    /// Latitude and longitude of the two ends of each street.
    private let lines: [[[Double]]]
    /// Class of each street: `side`, `arterial` or `express`.
    private let classes: [String]

    init(_ network: StreetNetwork) {
        // Both directions are separate streets, drawn once.
        let drawn = network.streets.filter { $0.from < $0.to }
        lines = drawn.map { street in
            [street.from, street.to].map { Self.place(network.plane.coordinate(of: network.crossings[$0])) }
        }
        classes = drawn.map { "\($0.streetClass)" }
    }

    /// Rounds to about 0.1 m.
    private static func place(_ coordinate: Coordinate) -> [Double] {
        [coordinate.latitude, coordinate.longitude].map { ($0 * 1e6).rounded() / 1e6 }
    }

    /// - Throws: ``InputError`` if the file cannot be written.
    func write(to path: String) throws {
        try ReportFile.write(JSONEncoder().encode(self), to: path)
    }
}
