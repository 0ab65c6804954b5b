/// How large and how irregular the simulated town is.
package struct StreetNetworkConfiguration: Sendable, Equatable {
    /// Crossings from west to east; at least 12.
    package var columns = 56
    /// Crossings from south to north; at least 12.
    package var rows = 56
    /// Metres between neighbouring crossings before they are moved about.
    package var blockMeters = 170.0
    /// How far a crossing is moved off the grid, as a share of the block.
    package var irregularity = 0.16
    /// Every so many streets one is an arterial.
    package var arterialSpacing = 5
    /// Every so many columns the river has a bridge.
    package var bridgeSpacing = 10
    /// The share of side streets that do not exist.
    package var missingShare = 0.10
    /// Stretches of arterial that run underground; each is 3 or 4 blocks long.
    package var tunnels = 14

    /// The first sentence of what is wrong with these settings; `nil` when they fit together.
    package var problem: String? {
        if columns < 12 || rows < 12 { return "A town has at least 12 columns and 12 rows of crossings." }
        if columns * rows > 250_000 { return "A town has at most 250,000 crossings." }
        if !(60...1000).contains(blockMeters) { return "A block is between 60 and 1,000 metres long." }
        if !(0...0.3).contains(irregularity) { return "The irregularity lies between 0 and 0.3." }
        if arterialSpacing < 3 || bridgeSpacing < 1 { return "Arterials are at least 3 streets apart, bridges 1." }
        if !(0...0.25).contains(missingShare) { return "The share of missing side streets lies between 0 and 0.25." }
        if tunnels < 0 || tunnels > 200 { return "A town has between 0 and 200 tunnels." }
        return nil
    }
}
