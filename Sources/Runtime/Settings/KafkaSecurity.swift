/// Encryption and login of connections to brokers; reports settings that would have no effect.
struct KafkaSecurity {
    enum Transport: String, CaseIterable {
        case plaintext = "PLAINTEXT"
        case tls = "SSL"
        case plaintextLogin = "SASL_PLAINTEXT"
        case tlsLogin = "SASL_SSL"

        var logsIn: Bool { self == .plaintextLogin || self == .tlsLogin }
        var isEncrypted: Bool { self == .tls || self == .tlsLogin }
    }

    enum Mechanism: String, CaseIterable {
        case scram512 = "SCRAM-SHA-512"
        case scram256 = "SCRAM-SHA-256"
        case plain = "PLAIN"
        case token = "OAUTHBEARER"
        case kerberos = "GSSAPI"

        /// Whether the mechanism requires user and password.
        var needsPassword: Bool { self != .token && self != .kerberos }
    }

    private let transport: Transport
    private let mechanism: Mechanism
    private let username: String
    private let password: Secret
    private let authorityLocation: String
    private let certificateLocation: String
    private let keyLocation: String
    private let keyPassword: Secret

    init(_ reader: inout SettingsReader) {
        transport = reader.choice(.kafkaSecurityProtocol, as: Transport.self)
        authorityLocation = reader.text(.kafkaAuthorityLocation)
        certificateLocation = reader.text(.kafkaCertificateLocation)
        keyLocation = reader.text(.kafkaKeyLocation)
        keyPassword = reader.secret(.kafkaKeyPassword)
        mechanism = reader.choice(.kafkaMechanism, as: Mechanism.self)
        username = reader.text(.kafkaUsername)
        password = reader.secret(.kafkaPassword)
    }

    /// Properties for the client library; empty for plaintext connections without a login.
    var properties: [KafkaProperty] {
        var all = [
            ("ssl.ca.location", Secret(authorityLocation)), ("ssl.certificate.location", Secret(certificateLocation)),
            ("ssl.key.location", Secret(keyLocation)), ("ssl.key.password", keyPassword),
            ("sasl.username", Secret(username)), ("sasl.password", password),
        ]
        if transport != .plaintext { all.append(("security.protocol", Secret(transport.rawValue))) }
        if transport.logsIn { all.append(("sasl.mechanism", Secret(mechanism.rawValue))) }
        return all.map { KafkaProperty(name: $0.0, value: $0.1) }.filter { !$0.value.isEmpty }
    }

    /// Reports invalid combinations.
    ///
    /// `properties`: all properties for the client library, including those set directly.
    func check(_ properties: [KafkaProperty], _ reader: inout SettingsReader) {
        let key = SettingDefinition.kafkaSecurityProtocol.key
        let shown = "\(key)=\(transport.rawValue)"
        for property in properties {
            if property.name.hasPrefix("sasl."), !transport.logsIn {
                reader.report(
                    [property.variable, key],
                    "\(property.variable) is set, but \(shown) does not log in; set \(key)=SASL_SSL.")
            }
            if property.name.hasPrefix("ssl."), !transport.isEncrypted {
                reader.report(
                    [property.variable, key],
                    "\(property.variable) is set, but \(shown) does not encrypt; set \(key)=SSL or SASL_SSL.")
            }
        }
        if transport.logsIn, mechanism.needsPassword {
            let credentials: [(SettingDefinition, Bool)] = [
                (.kafkaUsername, !username.isEmpty), (.kafkaPassword, !password.isEmpty),
            ]
            for (setting, isSet) in credentials where !isSet && !reader.hasProblem(with: setting.key) {
                reader.report([setting.key], "\(setting.key) is required by \(shown) with \(mechanism.rawValue).")
            }
        }
        reader.checkCertificate(.kafkaCertificateLocation, certificateLocation, key: .kafkaKeyLocation, keyLocation)
    }
}

extension SettingsReader {
    /// Reports a certificate without key, and a key without certificate.
    mutating func checkCertificate(
        _ certificate: SettingDefinition, _ certificateFile: String, key: SettingDefinition, _ keyFile: String
    ) {
        guard certificateFile.isEmpty != keyFile.isEmpty, !hasProblem(with: certificate.key),
            !hasProblem(with: key.key)
        else { return }
        let (set, missing) = keyFile.isEmpty ? (certificate, key) : (key, certificate)
        report([certificate.key, key.key], "\(set.key) is set, and \(missing.key) is not: set both or neither.")
    }
}
