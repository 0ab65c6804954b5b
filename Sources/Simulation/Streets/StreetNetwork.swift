import Domain
import Support

/// A synthetic town: crossings connected by straight two-way streets, on a plane around its centre.
///
/// Grid-like with irregularities, arterials every few blocks, a motorway-like ring road, a river with few bridges and
/// some tunnels. All streets are connected; crossings cut off from them remain without streets.
package struct StreetNetwork: Sendable {
    package enum Class: UInt8, Sendable {
        case side, arterial, express

        /// Speed limit, in m/s: about 30, 50 and 80 km/h.
        package var limitMetersPerSecond: Double {
            switch self {
            case .side: 8.4
            case .arterial: 13.9
            case .express: 22.3
            }
        }
    }

    /// One direction of a street between two neighbouring crossings.
    package struct Street: Sendable {
        package var from: Int
        package var to: Int
        package var lengthMeters: Double
        package var streetClass: Class
        package var isTunnel: Bool
        package var isBridge: Bool
        /// Share of the speed limit that traffic allows, in (0, 1]; the route planner ignores it.
        package var trafficFactor: Double
    }

    package let plane: TangentPlane
    /// Position of each crossing, by its number.
    package internal(set) var crossings: [TangentPlane.Point] = []
    package internal(set) var hasSignal: [Bool] = []
    /// All streets, grouped by the crossing they leave; see ``streets(from:)``.
    package internal(set) var streets: [Street] = []
    /// Index of the first street of each crossing, and at the end the number of streets.
    var firstStreet: [Int] = [0]
    /// Crossings where a trip may begin or end, all outside tunnels.
    package internal(set) var destinations: [Int] = []

    init(center: Coordinate) { plane = TangentPlane(origin: center) }

    /// Returns the indices of the streets that leave a crossing.
    package func streets(from crossing: Int) -> Range<Int> { firstStreet[crossing]..<firstStreet[crossing + 1] }

    /// Returns the index of the street between two neighbouring crossings; `nil` if no street connects them.
    package func street(from: Int, to: Int) -> Int? { streets(from: from).first { streets[$0].to == to } }

    /// Whether the signal at a crossing is red for traffic in a direction.
    ///
    /// East-west and north-south traffic alternate in a cycle of 60 to 90 s; cycle and phase depend on the crossing.
    package func isRed(crossing: Int, eastward: Double, northward: Double, at time: Timestamp) -> Bool {
        guard hasSignal[crossing] else { return false }
        let mixed = UInt64(crossing + 1) &* 0x9e37_79b9_7f4a_7c15
        let cycle = Int64(60_000 + (mixed >> 40) % 30_000)
        let phase = (time.milliseconds + Int64((mixed >> 20) % 90_000)) % cycle
        let isFirstHalf = phase * 2 < cycle
        return abs(eastward) > abs(northward) ? isFirstHalf : !isFirstHalf
    }
}
