import Foundation

/// What the services know us by.
package struct PushCredentials: Sendable {
    /// A key of an Apple developer's account.
    package struct APNS: Sendable {
        /// The key of the file that Apple gives, as PEM.
        package var keyPEM: String
        package var keyID: String
        package var teamID: String

        package init(keyPEM: String, keyID: String, teamID: String) {
            self.keyPEM = keyPEM
            self.keyID = keyID
            self.teamID = teamID
        }
    }

    /// A service account of Google, by the file that Google gives.
    package struct FCM: Sendable, Decodable {
        package var projectID: String
        package var email: String
        package var keyID: String
        /// As PEM.
        package var keyPEM: String
        /// Where access tokens are given out.
        package var tokenURL: String

        enum CodingKeys: String, CodingKey {
            case projectID = "project_id"
            case email = "client_email"
            case keyID = "private_key_id"
            case keyPEM = "private_key"
            case tokenURL = "token_uri"
        }

        /// Reads the file of a service account.
        /// - Throws: ``PushSinkError`` when it is something else.
        package init(json: Data) throws {
            do {
                self = try JSONDecoder().decode(Self.self, from: json)
            } catch {
                throw PushSinkError(
                    description: "SIGHTLINE_FCM_CREDENTIALS_FILE is not the JSON file of a service account.",
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
