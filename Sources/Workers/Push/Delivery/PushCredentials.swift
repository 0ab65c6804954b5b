import Foundation

/// Credentials for the push services.
package struct PushCredentials: Sendable {
    /// Key of an Apple developer account.
    package struct APNS: Sendable {
        /// Content of Apple's .p8 file (PEM).
        package var keyPEM: String
        package var keyID: String
        package var teamID: String

        package init(keyPEM: String, keyID: String, teamID: String) {
            self.keyPEM = keyPEM
            self.keyID = keyID
            self.teamID = teamID
        }
    }

    /// Google service account, from its JSON file.
    package struct FCM: Sendable, Decodable {
        package var projectID: String
        package var email: String
        package var keyID: String
        /// PEM.
        package var keyPEM: String
        /// URL that issues access tokens.
        package var tokenURL: String

        enum CodingKeys: String, CodingKey {
            case projectID = "project_id"
            case email = "client_email"
            case keyID = "private_key_id"
            case keyPEM = "private_key"
            case tokenURL = "token_uri"
        }

        /// - Throws: ``PushSinkError`` if `json` is not a service account file.
        package init(json: Data) throws {
            do {
                self = try JSONDecoder().decode(Self.self, from: json)
            } catch {
                throw PushSinkError(
                    description: "SIGHTLINE_FCM_CREDENTIALS_FILE must be the JSON file of a service account.",
                    isRetriable: false)
            }
        }
    }

    package var apns: APNS?
    package var fcm: FCM?

    package init(apns: APNS? = nil, fcm: FCM? = nil) {
        self.apns = apns
        self.fcm = fcm
    }
}
