extension SettingTable {
    static let push: [SettingDefinition] = [
        .pushMode, .pushLanguage, .pushTemplates, .pushMaximumAge, .pushConcurrency, .pushAuthorityFile, .apnsKeyFile,
        .apnsKeyID, .apnsTeamID, .apnsTopic, .apnsURL, .fcmCredentials, .fcmURL,
    ]
}

extension SettingDefinition {
    package static let pushMode = SettingDefinition(
        "SIGHTLINE_PUSH_MODE", .choice(["auto", "dry-run", "send"]), default: "auto", programs: [.pushWorker],
        help:
            "Whether notifications are sent, or written to standard output as lines of JSON (dry-run); auto sends where there are credentials of a service."
    )
    package static let pushLanguage = SettingDefinition(
        "SIGHTLINE_PUSH_LANGUAGE", .text(.name), default: "en", programs: [.pushWorker],
        help: "The language of phones whose own has no texts.")
    package static let pushTemplates = SettingDefinition(
        "SIGHTLINE_PUSH_TEMPLATES_FILE", .text(.readable(example: "/data/push-templates.json")), default: "",
        programs: [.pushWorker],
        help: "Texts in more languages, or in place of the built-in ones (English and German).")
    package static let pushMaximumAge = SettingDefinition(
        "SIGHTLINE_PUSH_MAX_AGE_SECONDS", .integer(1...86_400, unit: "s"), default: "600", programs: [.pushWorker],
        help: "What happened longer ago is not told any more, so that reading records again sends nothing old.")
    package static let pushConcurrency = SettingDefinition(
        "SIGHTLINE_PUSH_CONCURRENCY", .integer(1...1_000, unit: "requests"), default: "64", programs: [.pushWorker],
        help: "Requests to push services that are under way at a time.")
    package static let pushAuthorityFile = SettingDefinition(
        "SIGHTLINE_PUSH_CA_FILE", .text(.readable(example: "/run/secrets/push-ca.pem")), default: "",
        programs: [.pushWorker],
        help: "The authorities whose push services are trusted, as PEM; those of the system when it is absent.")

    package static let apnsKeyFile = SettingDefinition(
        "SIGHTLINE_APNS_KEY_FILE", .text(.readable(example: "/run/secrets/AuthKey_ABC123DEFG.p8")), default: "",
        programs: [.pushWorker], help: "The key of Apple's push service (.p8).")
    package static let apnsKeyID = SettingDefinition(
        "SIGHTLINE_APNS_KEY_ID", .text(.claim(example: "ABC123DEFG")), default: "", programs: [.pushWorker],
        help: "What Apple calls the key.")
    package static let apnsTeamID = SettingDefinition(
        "SIGHTLINE_APNS_TEAM_ID", .text(.claim(example: "DEF123GHIJ")), default: "", programs: [.pushWorker],
        help: "The team that the key belongs to.")
    package static let apnsTopic = SettingDefinition(
        "SIGHTLINE_APNS_TOPIC", .text(.claim(example: "com.example.rider")), default: "", programs: [.pushWorker],
        help: "The bundle id of the riders' app.")
    package static let apnsURL = SettingDefinition(
        "SIGHTLINE_APNS_URL",
        .text(.url(schemes: ["https"], example: "https://api.sandbox.push.apple.com")),
        default: "https://api.push.apple.com", programs: [.pushWorker],
        help: "Apple's push service; https://api.sandbox.push.apple.com is that of development.")
    package static let fcmCredentials = SettingDefinition(
        "SIGHTLINE_FCM_CREDENTIALS_FILE", .text(.readable(example: "/run/secrets/service-account.json")), default: "",
        programs: [.pushWorker], help: "The JSON file of a service account that may send messages of Firebase.")
    package static let fcmURL = SettingDefinition(
        "SIGHTLINE_FCM_URL", .text(.url(schemes: ["https"], example: "https://fcm.googleapis.com")),
        default: "https://fcm.googleapis.com", programs: [.pushWorker],
        help: "Google's push service.")
}
