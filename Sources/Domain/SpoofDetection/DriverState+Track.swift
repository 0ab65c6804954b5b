/// Content-defined chunking of the track: an original and its replay are cut at the same positions.
extension DriverState.Track {
    /// Adds the next fix in order if the step is long enough; returns the hash of a chunk that the fix completes.
    @inline(__always) mutating func add(_ coordinate: Coordinate, _ settings: TrackingSettings.Replay) -> UInt64? {
        let here = GridPoint(coordinate)
        if fixes > 0 || hash != 0 {
            let step = TangentPlane(origin: point.coordinate).point(of: coordinate)
            let squared = step.east * step.east + step.north * step.north
            guard squared >= settings.minimumStepMeters * settings.minimumStepMeters else { return nil }
        }
        point = here
        let cell = Self.mixed(cellOf: coordinate)
        hash = Self.mixed((fixes == 0 ? 1 : hash) ^ cell)
        fixes &+= 1
        let endsHere = cell & (1 << UInt64(settings.anchorBits) - 1) == 0
        guard Int(fixes) >= settings.minimumChunkFixes, endsHere || fixes >= 64 else { return nil }
        let chunk = hash
        // 0 would mean that there is no previous point.
        hash = 1
        fixes = 0
        return chunk
    }

    /// Returns a hash of the coordinate, rounded to ``TrackChunk/cellUnits``.
    @inline(__always) private static func mixed(cellOf coordinate: Coordinate) -> UInt64 {
        let latitude = UInt32(bitPattern: Int32((coordinate.latitude * 1e6).halfAwayFromZero))
        let longitude = UInt32(bitPattern: Int32((coordinate.longitude * 1e6).halfAwayFromZero))
        return mixed(UInt64(latitude) << 32 | UInt64(longitude))
    }

    /// Mixes a value with the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
    @inline(__always) private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
