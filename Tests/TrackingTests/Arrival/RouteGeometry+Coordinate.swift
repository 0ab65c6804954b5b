@testable import Tracking

extension RouteGeometry {
    /// The point `alongMeters` from the start.
    func coordinate(at alongMeters: Double) -> Coordinate {
        let index = segment(at: alongMeters)
        let start = vertices[index]
        let end = vertices[index + 1]
        let length = end.alongMeters - start.alongMeters
        let part = length > 0 ? max(0, min(1, (alongMeters - start.alongMeters) / length)) : 0
        let longitude = start.equatorMeters + part * (end.equatorMeters - start.equatorMeters)
        let latitude = start.meridianMeters + part * (end.meridianMeters - start.meridianMeters)
        return Coordinate(
            latitude: latitude / Geodesy.metersPerDegree,
            longitude: Geodesy.normalizedLongitude(longitude / Geodesy.metersPerDegree))
    }
}
