import Foundation
import Runtime
import Testing

@Suite("Settings of push-worker")
struct PushSettingsTests {
    private static func settings(_ environment: [String: String]) throws -> PushSettings {
        try Settings(for: .pushWorker, environment: environment).push
    }

    /// An existing file.
    private static let file = CommandLine.arguments[0]

    @Test("the worker makes a dry run without credentials, or if the mode is dry-run")
    func mode() throws {
        #expect(try Self.settings([:]).isDryRun)
        let google = ["SIGHTLINE_FCM_CREDENTIALS_FILE": Self.file]
        #expect(try !Self.settings(google).isDryRun)
        #expect(try !Self.settings(google.merging(["SIGHTLINE_PUSH_MODE": "send"]) { $1 }).isDryRun)
        #expect(try Self.settings(google.merging(["SIGHTLINE_PUSH_MODE": "dry-run"]) { $1 }).isDryRun)
        let apple = [
            "SIGHTLINE_APNS_KEY_FILE": Self.file, "SIGHTLINE_APNS_KEY_ID": "K", "SIGHTLINE_APNS_TEAM_ID": "T",
            "SIGHTLINE_APNS_TOPIC": "com.example.rider",
        ]
        #expect(try !Self.settings(apple).isDryRun)
        #expect(try Self.settings(apple).apnsKey?.keyID == "K")
    }

    @Test("mode send needs credentials, and an APNs key needs a key id, team id and topic")
    func incomplete() throws {
        let send = #expect(throws: SettingsError.self) { try Self.settings(["SIGHTLINE_PUSH_MODE": "send"]) }
        #expect(send?.problems.count == 1)
        let key = #expect(throws: SettingsError.self) { try Self.settings(["SIGHTLINE_APNS_KEY_FILE": Self.file]) }
        #expect(key?.problems.count == 3)
    }
}
