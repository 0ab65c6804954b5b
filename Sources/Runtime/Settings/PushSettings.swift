/// How riders' phones are told.
package struct PushSettings: Sendable {
    private enum Mode: String, CaseIterable {
        case auto
        case dryRun = "dry-run"
        case send
    }

    /// A key of Apple's push service.
    package struct APNSKey: Sendable {
        package var file: String
        package var keyID: String
        package var teamID: String
    }

    /// Whether requests are written to standard output and not sent.
    package var isDryRun: Bool
    /// The language of phones whose own has no texts.
    package var language: String
    /// A file of texts; `nil` for the built-in ones alone.
    package var templatesFile: String?
    package var maximumAge: Duration
    /// Requests under way at a time.
    package var concurrency: Int
    /// The authorities that are trusted, as PEM; `nil` for those of the system.
    package var authorityFile: String?
    /// `nil` where none is set.
    package var apnsKey: APNSKey?
    /// The bundle id of the app; empty where none is set.
    package var apnsTopic: String
    package var apnsURL: String
    /// `nil` where none is set.
    package var fcmCredentialsFile: String?
    package var fcmURL: String

    init(_ reader: inout SettingsReader) {
        let mode = reader.choice(.pushMode, as: Mode.self)
        language = reader.text(.pushLanguage)
        templatesFile = Self.nonempty(reader.text(.pushTemplates))
        maximumAge = .seconds(reader.integer(.pushMaximumAge))
        concurrency = reader.integer(.pushConcurrency)
        authorityFile = Self.nonempty(reader.text(.pushAuthorityFile))
        apnsTopic = reader.text(.apnsTopic)
        apnsURL = reader.text(.apnsURL)
        fcmURL = reader.text(.fcmURL)
        let key = APNSKey(
            file: reader.text(.apnsKeyFile), keyID: reader.text(.apnsKeyID), teamID: reader.text(.apnsTeamID))
        apnsKey = key.file.isEmpty ? nil : key
        fcmCredentialsFile = Self.nonempty(reader.text(.fcmCredentials))
        let hasCredentials = apnsKey != nil || fcmCredentialsFile != nil
        isDryRun = mode == .dryRun || (mode == .auto && !hasCredentials)
        if apnsKey != nil {
            for (setting, value) in [
                (SettingDefinition.apnsKeyID, key.keyID), (.apnsTeamID, key.teamID), (.apnsTopic, apnsTopic),
            ] where value.isEmpty {
                reader.report(
                    [setting.key, SettingDefinition.apnsKeyFile.key],
                    "SIGHTLINE_APNS_KEY_FILE is set, so \(setting.key) must be set, too.")
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

    private static func nonempty(_ text: String) -> String? { text.isEmpty ? nil : text }
}
