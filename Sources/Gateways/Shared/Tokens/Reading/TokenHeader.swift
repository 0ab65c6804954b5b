import Foundation

/// What a token's header says of its signature.
///
/// All else in it is ignored, such as keys and addresses of keys. JWTKit's own type for headers ends the process for a
/// number that is too large for an integer.
struct TokenHeader {
    /// `alg`.
    let algorithm: String
    /// `kid`.
    let keyID: String?

    private enum CodingKeys: String, CodingKey {
        case alg, kid, crit
    }

    /// - Throws: `header`; `critical` where the token demands an extension to be understood.
    init(_ bytes: [UInt8]) throws(TokenRejection) {
        let fields: Fields
        do {
            fields = try JSONDecoder().decode(Fields.self, from: Data(bytes))
        } catch {
            throw .invalid(reason: .header)
        }
        guard !fields.isCritical else { throw .invalid(reason: .critical) }
        algorithm = fields.algorithm
        keyID = fields.keyID
    }

    private struct Fields: Decodable {
        let algorithm: String
        let keyID: String?
        let isCritical: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            algorithm = try container.decode(String.self, forKey: .alg)
            keyID = try container.decodeIfPresent(String.self, forKey: .kid)
            isCritical = container.contains(.crit)
        }
    }
}
