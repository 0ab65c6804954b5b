extension SettingTable {
    static let push: [SettingDefinition] = [
        .pushMode, .pushLanguage, .pushTemplates, .pushMaximumAge, .pushConcurrency, .pushAuthorityFile, .apnsKeyFile,
        .apnsKeyID, .apnsTeamID, .apnsTopic, .apnsURL, .fcmCredentials, .fcmURL,
    ]
}

extension SettingDefinition {
    package static let pushMode = SettingDefinition(
        "SIGHTLINE_PUSH_MODE", .choice(["auto", "dry-run", "send"]), default: "auto", programs: [.pushWorker],
        help: "Send notifications, or write them to standard output as JSON lines (dry-run); auto sends if credentials "
            + "are set.")
    package static let pushLanguage = SettingDefinition(
        "SIGHTLINE_PUSH_LANGUAGE", .text(.name), default: "en", programs: [.pushWorker],
        help: "Language for phones whose language has no texts.")
    package static let pushTemplates = SettingDefinition(
        "SIGHTLINE_PUSH_TEMPLATES_FILE", .text(.readable(example: "/data/push-templates.json")), default: "",
        programs: [.pushWorker],
        help: "File with texts in more languages, or replacing the built-in ones (English, German).")
    package static let pushMaximumAge = SettingDefinition(
        "SIGHTLINE_PUSH_MAX_AGE_SECONDS", .integer(1...86_400, unit: "s"), default: "600", programs: [.pushWorker],
        help: "Maximum age of an event; older ones are not sent, so that rereading records sends nothing old.")
    package static let pushConcurrency = SettingDefinition(
        "SIGHTLINE_PUSH_CONCURRENCY", .integer(1...1_000, unit: "requests"), default: "64", programs: [.pushWorker],
        help: "Maximum concurrent requests to push services.")
    package static let pushAuthorityFile = SettingDefinition(
        "SIGHTLINE_PUSH_CA_FILE", .text(.readable(example: "/run/secrets/push-ca.pem")), default: "",
        programs: [.pushWorker], help: "Trusted certificate authorities of push services (PEM); the system's if unset.")

    package static let apnsKeyFile = SettingDefinition(
        "SIGHTLINE_APNS_KEY_FILE", .text(.readable(example: "/run/secrets/AuthKey_ABC123DEFG.p8")), default: "",
        programs: [.pushWorker], help: "APNs signing key (.p8).")
    package static let apnsKeyID = SettingDefinition(
        "SIGHTLINE_APNS_KEY_ID", .text(.claim(example: "ABC123DEFG")), default: "", programs: [.pushWorker],
        help: "APNs key id.")
    package static let apnsTeamID = SettingDefinition(
        "SIGHTLINE_APNS_TEAM_ID", .text(.claim(example: "DEF123GHIJ")), default: "", programs: [.pushWorker],
        help: "APNs team id.")
    package static let apnsTopic = SettingDefinition(
        "SIGHTLINE_APNS_TOPIC", .text(.claim(example: "com.example.rider")), default: "", programs: [.pushWorker],
        help: "Bundle id of the riders' app.")
    package static let apnsURL = SettingDefinition(
        "SIGHTLINE_APNS_URL", .text(.url(schemes: ["https"], example: "https://api.sandbox.push.apple.com")),
        default: "https://api.push.apple.com", programs: [.pushWorker],
        help: "APNs URL; https://api.sandbox.push.apple.com for development.")
    package static let fcmCredentials = SettingDefinition(
        "SIGHTLINE_FCM_CREDENTIALS_FILE", .text(.readable(example: "/run/secrets/service-account.json")), default: "",
        programs: [.pushWorker], help: "Firebase service account file (JSON).")
    package static let fcmURL = SettingDefinition(
        "SIGHTLINE_FCM_URL", .text(.url(schemes: ["https"], example: "https://fcm.googleapis.com")),
        default: "https://fcm.googleapis.com", programs: [.pushWorker], help: "FCM URL.")
}
