extension ChannelName {
    /// Whether the holder of a token may watch the channel.
    func isAllowed(by claims: TokenClaims) -> Bool {
        switch kind {
        case .trip: claims.allows(trip: id)
        case .route: claims.allows(route: id)
        }
    }
}
