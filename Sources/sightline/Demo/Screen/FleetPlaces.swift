import Model
import Simulation

/// Where the drivers of a run were seen last, and who of them is suspected.
struct FleetPlaces: Sendable {
    /// An accusation of a driver that is not over.
    struct Accusation: Sendable, Equatable {
        var driverID: String
        var code: String
        var action: String
    }

    /// The last believed position of each driver.
    private(set) var latest: [String: Coordinate] = [:]
    /// Of each accused driver, the accusation that came last.
    private(set) var accusations: [String: Accusation] = [:]
    /// Who was accused, in the order of their last accusations.
    private var order: [String] = []
    /// Believed positions of the past, as many as are remembered, in no order.
    private(set) var trail: [Coordinate] = []
    private var nextPlace = 0

    private static let remembered = 4000

    mutating func note(_ driverID: String, at coordinate: Coordinate) {
        latest[driverID] = coordinate
        if trail.count < Self.remembered {
            trail.append(coordinate)
        } else {
            trail[nextPlace] = coordinate
            nextPlace = (nextPlace + 1) % Self.remembered
        }
    }

    /// Takes in a warning; those that are not about a forgery are not for the map.
    mutating func note(_ driverID: String, _ warning: LocationWarning) {
        guard !warning.reason.isDisjoint(with: SpoofingScore.accusations) else { return }
        order.removeAll { $0 == driverID }
        guard warning.action != .resolved else {
            accusations[driverID] = nil
            return
        }
        let code = Reasons.all.first { warning.reason.contains($0.value) }.map { "\($0.code)" } ?? ""
        accusations[driverID] = Accusation(driverID: driverID, code: code, action: "\(warning.action.code)")
        order.append(driverID)
    }

    /// The accusations that are not over, the newest first.
    var newestFirst: [Accusation] { order.reversed().compactMap { accusations[$0] } }

    var vehicles: [FleetMap.Vehicle] {
        latest.map { FleetMap.Vehicle(coordinate: $1, isSuspect: accusations[$0] != nil) }
    }
}
