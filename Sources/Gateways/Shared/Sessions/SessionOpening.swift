/// What a session is made of.
protocol SessionOpening {
    /// Unique among the sessions of all runs of a gateway.
    var sessionID: String { get }
    var claims: TokenClaims { get }
    var writer: any SessionWriter { get }
}
