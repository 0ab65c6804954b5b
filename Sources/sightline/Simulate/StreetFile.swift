import Foundation
import Model
import Recordings
import Simulation

/// The streets of a simulated town, as the live map draws them: `/map/streets.json`.
struct StreetFile: Encodable {
    /// For each street its places as latitude and longitude.
    private let lines: [[[Double]]]
    /// For each street what it is: `side`, `arterial` or `express`.
    private let classes: [String]

    init(_ network: StreetNetwork) {
        // Both directions are streets of their own, and drawn once.
        let drawn = network.streets.filter { $0.from < $0.to }
        lines = drawn.map { street in
            [street.from, street.to].map { Self.place(network.plane.coordinate(of: network.crossings[$0])) }
        }
        classes = drawn.map { "\($0.streetClass)" }
    }

    /// Six decimals are a tenth of a metre.
    private static func place(_ coordinate: Coordinate) -> [Double] {
        [coordinate.latitude, coordinate.longitude].map { ($0 * 1e6).rounded() / 1e6 }
    }

    /// - Throws: ``InputError`` for a file that cannot be written.
    func write(to path: String) throws {
        do {
            try JSONEncoder().encode(self).write(to: URL(fileURLWithPath: path))
        } catch {
            throw InputError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
