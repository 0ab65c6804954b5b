import Codec
import Model

extension DrivePath {
    /// The way as the trip service plans it.
    ///
    /// Its duration is `seconds`, or what a planner without knowledge of the traffic says.
    func plannedRoute(in network: StreetNetwork, seconds: Double? = nil) -> TripMessage.Route {
        let coordinates = points.map { network.plane.coordinate(of: $0) }
        return TripMessage.Route(
            polyline: Polyline.encode(coordinates, precision: 5), points: coordinates,
            distanceMeters: lengthMeters.rounded(), durationSeconds: (seconds ?? planSeconds).rounded())
    }
}
