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
    /// One in this many lines of the grid is an arterial or the ring road.
    package var arterialSpacing = 5
    /// Columns between two bridges over the river.
    package var bridgeSpacing = 10
    /// Share of side streets that are missing.
    package var missingShare = 0.10
    /// Maximum number of tunnels, each 3 or 4 blocks of an arterial.
    package var tunnels = 14
}
