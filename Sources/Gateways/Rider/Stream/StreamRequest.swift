/// A request for a trip's events as they happen, whose token allows it.
struct StreamRequest: Sendable {
    let trip: ChannelName
    /// What the client has had; empty for nothing.
    let cursor: ChannelCursor
    let claims: TokenClaims
}
