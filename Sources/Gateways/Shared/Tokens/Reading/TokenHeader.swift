import Foundation

/// Algorithm and key id of a token's header.
///
/// Everything else is ignored, such as embedded keys and their URLs.
struct TokenHeader: Decodable {
    /// `alg`: the signature algorithm.
    let algorithm: String
    /// `kid`: the id of the key; `nil` if absent.
    let keyID: String?
    private let isCritical: Bool

    private enum CodingKeys: String, CodingKey {
        case alg, kid, crit
    }

    /// - Throws: `header` if it is unreadable; `critical` if it requires an extension.
    init(_ bytes: [UInt8]) throws(TokenRejection) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch { throw .invalid(reason: .header) }
        guard !isCritical else { throw .invalid(reason: .critical) }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        algorithm = try container.decode(String.self, forKey: .alg)
        keyID = try container.decodeIfPresent(String.self, forKey: .kid)
        isCritical = container.contains(.crit)
    }
}
