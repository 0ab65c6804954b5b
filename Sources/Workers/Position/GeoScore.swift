import Domain

/// Score of a position in a Redis geo set, as `GEOADD` computes it.
///
/// One `ZADD` with precomputed scores for all drivers of an area costs Redis half as much as a `GEOADD` per driver.
enum GeoScore {
    /// Returns the 52 bits of a geohash over ±180° of longitude and ±85.05112878° of latitude, latitude in even bits.
    ///
    /// `coordinate` must be within these bounds: its ``GeoArea`` is not `none`.
    static func score(of coordinate: Coordinate) -> Int64 {
        let limit = GeoArea.maximumLatitude
        let row = scaled((coordinate.latitude + limit) / (2 * limit))
        let column = scaled((coordinate.longitude + 180) / 360)
        return Int64(spread(row) | spread(column) << 1)
    }

    private static func scaled(_ fraction: Double) -> UInt64 {
        UInt64(max(0, min(67_108_863, fraction * 67_108_864)))
    }

    /// Puts a zero bit before each of the lower 32 bits (Sean Anderson, "Interleave bits by Binary Magic Numbers").
    private static func spread(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }
}
