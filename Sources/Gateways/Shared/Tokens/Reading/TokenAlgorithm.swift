/// The algorithms that tokens may be signed with.
enum TokenAlgorithm: String, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
}
