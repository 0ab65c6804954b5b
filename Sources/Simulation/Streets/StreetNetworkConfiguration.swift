/// Size and irregularity of the simulated town.
package struct StreetNetworkConfiguration: Sendable, Equatable {
    /// Crossings from west to east; at least 12.
    package var columns = 56
    /// Crossings from south to north; at least 12.
    package var rows = 56
    /// Metres between neighbouring crossings before they are displaced.
    package var blockMeters = 170.0
    /// Maximum displacement of a crossing, as a share of the block.
    package var irregularity = 0.16
    /// One in this many streets is an arterial.
    package var arterialSpacing = 5
    /// Columns between two bridges over the river.
    package var bridgeSpacing = 10
    /// Share of side streets that are missing.
    package var missingShare = 0.10
    /// Number of tunnels, each 3 or 4 blocks of an arterial.
    package var tunnels = 14

    /// Describes the first invalid setting; `nil` if all are valid.
    package var problem: String? {
        if columns < 12 || rows < 12 { return "The town needs at least 12 columns and 12 rows of crossings." }
        if columns * rows > 250_000 { return "The town may have at most 250,000 crossings." }
        if !(60...1000).contains(blockMeters) { return "The length of a block must be between 60 and 1,000 m." }
        if !(0...0.3).contains(irregularity) { return "The irregularity must be between 0 and 0.3." }
        if arterialSpacing < 3 || bridgeSpacing < 1 {
            return "The spacing of arterials must be at least 3, that of bridges at least 1."
        }
        if !(0...0.25).contains(missingShare) { return "The share of missing side streets must be between 0 and 0.25." }
        if tunnels < 0 || tunnels > 200 { return "The number of tunnels must be between 0 and 200." }
        return nil
    }
}
