/// An answer that has begun, and goes on as events.
struct StreamOpening: SessionOpening {
    let sessionID: String
    let claims: TokenClaims
    let writer: any SessionWriter
}
