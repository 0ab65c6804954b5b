import Foundation
import Processing

struct PushCredentials: Sendable {
    /// Key of an Apple developer account.
    struct APNS: Sendable {
        /// Content of Apple's .p8 file (PEM).
        var keyPEM: String
        var keyID: String
        var teamID: String
    }

    /// Google service account, from its JSON file.
    struct FCM: Sendable, Decodable {
        var projectID: String
        var email: String
        var keyID: String
        /// Private key (PEM).
        var keyPEM: String
        /// URL that issues access tokens.
        var tokenURL: String

        enum CodingKeys: String, CodingKey {
            case projectID = "project_id"
            case email = "client_email"
            case keyID = "private_key_id"
            case keyPEM = "private_key"
            case tokenURL = "token_uri"
        }

        /// - Throws: ``SinkError`` if `json` is not a service account file, or its `token_uri` is not an https URL.
        init(json: Data) throws {
            do {
                self = try JSONDecoder().decode(Self.self, from: json)
            } catch {
                throw SinkError("SIGHTLINE_FCM_CREDENTIALS_FILE must be the JSON file of a service account.")
            }
            // The request to this URL contains a signed login, which must be encrypted.
            guard tokenURL.hasPrefix("https://") else {
                throw SinkError("token_uri in SIGHTLINE_FCM_CREDENTIALS_FILE must be an https URL.")
            }
        }
    }

    var apns: APNS?
    var fcm: FCM?
}
