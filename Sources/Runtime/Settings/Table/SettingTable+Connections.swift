import Domain

extension SettingTable {
    static let kafka: [SettingDefinition] = [
        .kafkaBootstrapServers, .kafkaClientID, .topicPrefix, .kafkaSessionTimeout, .kafkaMaximumPollInterval,
        .kafkaLinger, .kafkaIdleFetchPause, .kafkaSecurityProtocol, .kafkaAuthorityLocation, .kafkaCertificateLocation,
        .kafkaKeyLocation, .kafkaKeyPassword, .kafkaMechanism, .kafkaUsername, .kafkaPassword,
    ]
    static let redis: [SettingDefinition] = [
        .redisURL, .redisPrefix, .nearestDrivers, .redisAuthorityLocation, .redisCertificateLocation,
        .redisKeyLocation,
    ]
    static let postgres: [SettingDefinition] = [
        .postgresURL, .historyRetention, .historyMinimumInterval, .historyMinimumDistance, .historySmoothedPaths,
    ]
}

extension Set where Element == Program {
    fileprivate static var redisClients: Set<Program> {
        [.positionWorker, .pushWorker, .riderGateway, .driverGateway, .commandLine]
    }
}

extension SettingDefinition {
    package static let kafkaBootstrapServers = SettingDefinition(
        "KAFKA_BOOTSTRAP_SERVERS", .text(.servers), default: "127.0.0.1:9092", programs: .everything,
        help: "Bootstrap brokers.")
    package static let kafkaClientID = SettingDefinition(
        "KAFKA_CLIENT_ID", .text(.name),
        default: .perProgram(Dictionary(uniqueKeysWithValues: Program.allCases.map { ($0, $0.rawValue) })),
        programs: .everything, help: "Name of the process in the broker's logs and quotas.")
    package static let topicPrefix = SettingDefinition(
        "SIGHTLINE_TOPIC_PREFIX", .text(.topicPrefix), default: "", programs: .everything,
        help: "Prefix of every topic name and consumer group, so that environments can share a cluster.")
    package static let kafkaSessionTimeout = SettingDefinition(
        "KAFKA_SESSION_TIMEOUT_MS", .integer(1_000...300_000, unit: "ms"), default: "10000", programs: .workers,
        help: "Session timeout: a worker without a heartbeat for this long loses its partitions.")
    package static let kafkaMaximumPollInterval = SettingDefinition(
        "KAFKA_MAX_POLL_INTERVAL_MS", .integer(30_000...86_400_000, unit: "ms"), default: "300000", programs: .workers,
        help: "Maximum poll interval: a worker that does not poll for this long loses its partitions.")
    package static let kafkaLinger = SettingDefinition(
        "KAFKA_LINGER_MS", .integer(0...1_000, unit: "ms"), default: "20", programs: .processors.union([.commandLine]),
        help: "Producer linger; workers without a backlog send at once.")
    package static let kafkaIdleFetchPause = SettingDefinition(
        "KAFKA_IDLE_FETCH_PAUSE_MS", .integer(0...1_000, unit: "ms"), default: "0", programs: .everything,
        help: "Pause between fetches after a hundred fetches in a row returned no records; for brokers that answer "
            + "every fetch only after its full wait.")

    package static let kafkaSecurityProtocol = SettingDefinition(
        "KAFKA_SECURITY_PROTOCOL", .choice(KafkaSecurity.Transport.allCases.map(\.rawValue)), default: "PLAINTEXT",
        programs: .everything, help: "Security protocol: SSL is TLS, SASL adds a login.")
    package static let kafkaAuthorityLocation = SettingDefinition(
        "KAFKA_SSL_CA_LOCATION", .text(.readable(example: "/run/secrets/kafka-ca.pem")), default: "",
        programs: .everything, help: "Trusted certificate authorities (PEM); the system's if unset.")
    package static let kafkaCertificateLocation = SettingDefinition(
        "KAFKA_SSL_CERTIFICATE_LOCATION", .text(.readable(example: "/run/secrets/kafka-client.pem")), default: "",
        programs: .everything, help: "Client certificate (PEM).")
    package static let kafkaKeyLocation = SettingDefinition(
        "KAFKA_SSL_KEY_LOCATION", .text(.readable(example: "/run/secrets/kafka-client.key")), default: "",
        programs: .everything, help: "Private key of the client certificate (PEM).")
    package static let kafkaKeyPassword = SettingDefinition(
        "KAFKA_SSL_KEY_PASSWORD", .text(.login), default: "", isSecret: true, programs: .everything,
        help: "Passphrase of KAFKA_SSL_KEY_LOCATION.")
    package static let kafkaMechanism = SettingDefinition(
        "KAFKA_SASL_MECHANISM", .choice(KafkaSecurity.Mechanism.allCases.map(\.rawValue)), default: "SCRAM-SHA-512",
        programs: .everything, help: "SASL mechanism.")
    package static let kafkaUsername = SettingDefinition(
        "KAFKA_SASL_USERNAME", .text(.login), default: "", programs: .everything, help: "SASL user name.")
    package static let kafkaPassword = SettingDefinition(
        "KAFKA_SASL_PASSWORD", .text(.login), default: "", isSecret: true, programs: .everything,
        help: "Password of KAFKA_SASL_USERNAME.")

    package static let redisURL = SettingDefinition(
        "REDIS_URL", .text(.url(schemes: ["redis", "rediss"], example: "rediss://user:password@host:6379/0")),
        default: "redis://127.0.0.1:6379/0", isSecret: true, programs: .redisClients,
        help: "Redis server; rediss:// uses TLS.")
    package static let redisPrefix = SettingDefinition(
        "SIGHTLINE_REDIS_PREFIX", .text(.keyPrefix), default: "", programs: .redisClients,
        help: "Prefix of every Redis key.")
    package static let nearestDrivers = SettingDefinition(
        "SIGHTLINE_NEAREST_DRIVERS", .choice(NearestDrivers.allCases.map(\.rawValue)),
        default: .value(NearestDrivers.unflagged.rawValue), programs: [.positionWorker, .riderGateway, .commandLine],
        help: "Drivers in the nearest-driver sets; unsuspected excludes drivers who are flagged or suspect.")

    package static let redisAuthorityLocation = SettingDefinition(
        "REDIS_SSL_CA_LOCATION", .text(.readable(example: "/run/secrets/redis-ca.pem")), default: "",
        programs: .redisClients, help: "Trusted certificate authorities (PEM); the system's if unset.")
    package static let redisCertificateLocation = SettingDefinition(
        "REDIS_SSL_CERTIFICATE_LOCATION", .text(.readable(example: "/run/secrets/redis-client.pem")), default: "",
        programs: .redisClients, help: "Client certificate (PEM).")
    package static let redisKeyLocation = SettingDefinition(
        "REDIS_SSL_KEY_LOCATION", .text(.readable(example: "/run/secrets/redis-client.key")), default: "",
        programs: .redisClients, help: "Private key of the client certificate (PEM), without a passphrase.")

    package static let postgresURL = SettingDefinition(
        "POSTGRES_URL",
        .text(.url(schemes: ["postgresql", "postgres"], example: "postgresql://user:password@host:5432/sightline")),
        default: "postgresql://127.0.0.1:5432/sightline", isSecret: true, programs: [.historyWorker, .commandLine],
        help: "Postgres database of the history; TLS with `?sslmode=verify-full&sslrootcert=FILE`.")
    package static let historyRetention = SettingDefinition(
        "HISTORY_RETENTION_DAYS", .integer(0...3_650, unit: "days"), default: "30",
        programs: [.historyWorker, .commandLine], help: "Days of history to keep; 0 keeps all.")
    package static let historyMinimumInterval = SettingDefinition(
        "HISTORY_MIN_INTERVAL_MS", .integer(0...3_600_000, unit: "ms"), default: "0",
        programs: [.historyWorker, .commandLine],
        help: "Minimum time between stored accepted fixes of a driver; 0 stores all.")
    package static let historyMinimumDistance = SettingDefinition(
        "HISTORY_MIN_DISTANCE_METERS", .decimal(0...10_000, unit: "m"), default: "0",
        programs: [.historyWorker, .commandLine],
        help: "Minimum distance between stored accepted fixes of a driver; 0 stores all.")
    package static let historySmoothedPaths = SettingDefinition(
        "HISTORY_SMOOTHED_PATHS", .flag, default: "true", programs: [.historyWorker, .commandLine],
        help: "Also store positions smoothed with the fixes of the next 15 to 30 s.")
}
