/// What each user may hold open at rider-gateway.
struct UserLimits: Sendable {
    let sockets: HeldConnections
    /// Long polls and streams.
    let requests: HeldConnections

    init(_ settings: ConnectionSettings) {
        sockets = HeldConnections(limit: settings.userConnections, silence: settings.pingSilence)
        requests = HeldConnections(limit: settings.userConnections, silence: nil)
    }

    /// The user whom a token names; `nil` where it names none, as that of a link which many open.
    static func named(_ claims: TokenClaims) -> String? {
        claims.subject.map { RequestAdmission.user($0, claims) }
    }
}
