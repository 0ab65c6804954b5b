/// Identifies the key that has checked a token: its name, and which key had that name.
package struct TokenKey: Sendable, Hashable {
    /// `kid`; `nil` for the key of tokens that name none.
    let name: String?
    /// A hash of the key itself, which differs where another key has taken over the name.
    let material: Int
}
