/// Texts, limits and credentials of push notifications.
package struct PushSettings: Sendable {
    private enum Mode: String, CaseIterable {
        case auto
        case dryRun = "dry-run"
        case send
    }

    /// Signing key for APNs.
    package struct APNSKey: Sendable {
        package var file: String
        package var keyID: String
        package var teamID: String
    }

    /// Whether notifications are written to standard output instead of being sent.
    package var isDryRun: Bool
    /// Language for phones whose language has no texts.
    package var language: String
    /// File with additional texts; `nil` for the built-in ones only.
    package var templatesFile: String?
    package var maximumAge: Duration
    /// Maximum concurrent requests to push services.
    package var concurrency: Int
    /// Trusted certificate authorities (PEM); `nil` for the system's.
    package var authorityFile: String?
    package var apnsKey: APNSKey?
    /// Bundle id of the app; empty if not set.
    package var apnsTopic: String
    package var apnsURL: String
    package var fcmCredentialsFile: String?
    package var fcmURL: String

    init(_ reader: inout SettingsReader) {
        let mode = reader.choice(.pushMode, as: Mode.self)
        language = reader.text(.pushLanguage)
        templatesFile = reader.optionalText(.pushTemplates)
        maximumAge = .seconds(reader.integer(.pushMaximumAge))
        concurrency = reader.integer(.pushConcurrency)
        authorityFile = reader.optionalText(.pushAuthorityFile)
        apnsTopic = reader.text(.apnsTopic)
        apnsURL = reader.text(.apnsURL)
        fcmURL = reader.text(.fcmURL)
        let key = APNSKey(
            file: reader.text(.apnsKeyFile), keyID: reader.text(.apnsKeyID), teamID: reader.text(.apnsTeamID))
        apnsKey = key.file.isEmpty ? nil : key
        fcmCredentialsFile = reader.optionalText(.fcmCredentials)
        let hasCredentials = apnsKey != nil || fcmCredentialsFile != nil
        isDryRun = mode == .dryRun || (mode == .auto && !hasCredentials)
        if apnsKey != nil {
            for (setting, value) in [
                (SettingDefinition.apnsKeyID, key.keyID), (.apnsTeamID, key.teamID), (.apnsTopic, apnsTopic),
            ] where value.isEmpty {
                reader.report(
                    [setting.key, SettingDefinition.apnsKeyFile.key],
                    "SIGHTLINE_APNS_KEY_FILE is set, so \(setting.key) must also be set.")
            }
        }
        if mode == .send, !hasCredentials, !reader.hasProblem(with: SettingDefinition.apnsKeyFile.key),
            !reader.hasProblem(with: SettingDefinition.fcmCredentials.key)
        {
            reader.report(
                [SettingDefinition.pushMode.key],
                "SIGHTLINE_PUSH_MODE=send needs SIGHTLINE_APNS_KEY_FILE or SIGHTLINE_FCM_CREDENTIALS_FILE.")
        }
    }
}
