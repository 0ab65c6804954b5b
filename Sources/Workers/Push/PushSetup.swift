import Foundation
import Processing
import Runtime

/// Factory of the parts of push-worker, from its settings and files.
struct PushSetup {
    private static let dryRunTopic = "com.example.rider"
    private static let dryRunProject = "example"

    private let push: PushSettings
    private let credentials: PushCredentials
    let rendering: PushRendering

    /// - Throws: ``SinkError`` with the setting of an invalid file.
    init(_ settings: Settings) throws {
        push = settings.push
        var credentials = PushCredentials()
        if let key = push.apnsKey {
            credentials.apns = PushCredentials.APNS(
                keyPEM: String(decoding: try Self.file(key.file, "SIGHTLINE_APNS_KEY_FILE"), as: UTF8.self),
                keyID: key.keyID, teamID: key.teamID)
        }
        if let file = push.fcmCredentialsFile {
            credentials.fcm = try PushCredentials.FCM(json: Self.file(file, "SIGHTLINE_FCM_CREDENTIALS_FILE"))
        }
        let lifetime = Int(push.maximumAge.components.seconds)
        let topic = push.apnsTopic.isEmpty ? Self.dryRunTopic : push.apnsTopic
        let isApple = push.isDryRun || credentials.apns != nil
        let project = credentials.fcm?.projectID ?? (push.isDryRun ? Self.dryRunProject : nil)
        rendering = PushRendering(
            templates: try Self.templates(push),
            apns: isApple ? APNSFormat(topic: topic, lifetimeSeconds: lifetime) : nil,
            fcm: project.map { FCMFormat(project: $0, lifetimeSeconds: lifetime) })
        self.credentials = credentials
    }

    /// - Throws: ``SinkError`` for an invalid key.
    func courier() throws -> PushCourier {
        // A dry run needs no logins.
        try PushCourier(
            credentials: push.isDryRun ? PushCredentials() : credentials,
            addresses: [.apns: push.apnsURL, .fcm: push.fcmURL], maximumConcurrency: push.concurrency,
            policy: PushRetryPolicy(maximumAge: push.maximumAge))
    }

    var makeTransport: @Sendable () -> any PushTransport {
        let (isDryRun, authorityFile) = (push.isDryRun, push.authorityFile)
        return { isDryRun ? DryRunTransport() : HTTPTransport(authorityFile: authorityFile) }
    }

    /// Log message at start.
    var announcement: String {
        guard !push.isDryRun else { return "Dry run: notifications are written to standard output." }
        let services = [credentials.apns == nil ? nil : "APNs", credentials.fcm == nil ? nil : "FCM"]
        return "Notifications are sent by \(services.compactMap { $0 }.joined(separator: " and "))."
    }

    private static func templates(_ push: PushSettings) throws -> PushTemplates {
        do {
            let json = try push.templatesFile.map { try Self.file($0, "SIGHTLINE_PUSH_TEMPLATES_FILE") }
            return try PushTemplates(fallback: push.language, json: json)
        } catch let error as PushTemplateError {
            let setting = push.templatesFile == nil ? "SIGHTLINE_PUSH_LANGUAGE" : "SIGHTLINE_PUSH_TEMPLATES_FILE"
            throw SinkError("\(setting) is invalid: \(error).")
        }
    }

    private static func file(_ path: String, _ setting: String) throws -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw SinkError("\(setting)=\(path) cannot be read. Check that it exists and is readable.")
        }
    }
}
