import Model

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
        help: "Brokers to ask for the rest of the cluster.")
    package static let kafkaClientID = SettingDefinition(
        "KAFKA_CLIENT_ID", .text(.name),
        default: .perProgram(
            Dictionary(uniqueKeysWithValues: Program.allCases.map { ($0, $0.rawValue) })),
        programs: .everything, help: "Names the process in the broker's logs and quotas.")
    package static let topicPrefix = SettingDefinition(
        "SIGHTLINE_TOPIC_PREFIX", .text(.topicPrefix), default: "", programs: .everything,
        help:
            "Comes before every topic name and consumer group, so that environments can share a cluster.")
    package static let kafkaSessionTimeout = SettingDefinition(
        "KAFKA_SESSION_TIMEOUT_MS", .integer(1_000...300_000, unit: "ms"), default: "10000",
        programs: .workers,
        help: "After this long without a heartbeat a worker's partitions go to others.")
    package static let kafkaMaximumPollInterval = SettingDefinition(
        "KAFKA_MAX_POLL_INTERVAL_MS", .integer(30_000...86_400_000, unit: "ms"), default: "300000",
        programs: .workers,
        help: "After this long without a poll a worker gives up its partitions.")
    package static let kafkaLinger = SettingDefinition(
        "KAFKA_LINGER_MS", .integer(0...1_000, unit: "ms"), default: "20",
        programs: .stages.union([.commandLine]),
        help: "How long a record waits for company before it is sent; workers that keep up send at once.")
    package static let kafkaIdleFetchPause = SettingDefinition(
        "KAFKA_IDLE_FETCH_PAUSE_MS", .integer(0...1_000, unit: "ms"), default: "0", programs: .everything,
        help: "The pause between fetches once a hundred in a row returned no records, for brokers that respond to each "
            + "only after its full wait.")

    package static let kafkaSecurityProtocol = SettingDefinition(
        "KAFKA_SECURITY_PROTOCOL", .choice(KafkaSecurity.Transport.allCases.map(\.rawValue)), default: "PLAINTEXT",
        programs: .everything, help: "How brokers are reached: SSL is TLS, SASL logs in.")
    package static let kafkaAuthorityLocation = SettingDefinition(
        "KAFKA_SSL_CA_LOCATION", .text(.readable(example: "/run/secrets/kafka-ca.pem")), default: "",
        programs: .everything,
        help: "The authorities whose brokers are trusted, as PEM; those of the system when it is absent.")
    package static let kafkaCertificateLocation = SettingDefinition(
        "KAFKA_SSL_CERTIFICATE_LOCATION", .text(.readable(example: "/run/secrets/kafka-client.pem")), default: "",
        programs: .everything, help: "Our own certificate, as PEM, for brokers that ask for one.")
    package static let kafkaKeyLocation = SettingDefinition(
        "KAFKA_SSL_KEY_LOCATION", .text(.readable(example: "/run/secrets/kafka-client.key")), default: "",
        programs: .everything, help: "The private key of our certificate, as PEM.")
    package static let kafkaKeyPassword = SettingDefinition(
        "KAFKA_SSL_KEY_PASSWORD", .text(.login), default: "", isSecret: true, programs: .everything,
        help: "The passphrase of that key, if it has one.")
    package static let kafkaMechanism = SettingDefinition(
        "KAFKA_SASL_MECHANISM", .choice(KafkaSecurity.Mechanism.allCases.map(\.rawValue)), default: "SCRAM-SHA-512",
        programs: .everything, help: "How to log in, where KAFKA_SECURITY_PROTOCOL does.")
    package static let kafkaUsername = SettingDefinition(
        "KAFKA_SASL_USERNAME", .text(.login), default: "", programs: .everything, help: "Who logs in.")
    package static let kafkaPassword = SettingDefinition(
        "KAFKA_SASL_PASSWORD", .text(.login), default: "", isSecret: true, programs: .everything,
        help: "The password of KAFKA_SASL_USERNAME.")

    package static let redisURL = SettingDefinition(
        "REDIS_URL", .text(.url(schemes: ["redis", "rediss"], example: "rediss://user:password@host:6379/0")),
        default: "redis://127.0.0.1:6379/0", isSecret: true, programs: .redisClients,
        help: "The store of latest positions; rediss:// secures the connection with TLS.")
    package static let redisPrefix = SettingDefinition(
        "SIGHTLINE_REDIS_PREFIX", .text(.keyPrefix), default: "",
        programs: .redisClients,
        help: "Comes before every key in Redis.")
    package static let nearestDrivers = SettingDefinition(
        "SIGHTLINE_NEAREST_DRIVERS", .choice(NearestDrivers.allCases.map(\.rawValue)),
        default: .value(NearestDrivers.unflagged.rawValue), programs: [.positionWorker, .riderGateway, .commandLine],
        help: "Who is in the nearest-driver sets: all, those not flagged, or those neither flagged nor suspect.")

    package static let redisAuthorityLocation = SettingDefinition(
        "REDIS_SSL_CA_LOCATION", .text(.readable(example: "/run/secrets/redis-ca.pem")), default: "",
        programs: .redisClients,
        help: "The authorities whose Redis is trusted, as PEM; those of the system when it is absent.")
    package static let redisCertificateLocation = SettingDefinition(
        "REDIS_SSL_CERTIFICATE_LOCATION", .text(.readable(example: "/run/secrets/redis-client.pem")), default: "",
        programs: .redisClients, help: "Our own certificate, as PEM, for a Redis that asks for one.")
    package static let redisKeyLocation = SettingDefinition(
        "REDIS_SSL_KEY_LOCATION", .text(.readable(example: "/run/secrets/redis-client.key")), default: "",
        programs: .redisClients,
        help: "The private key of our certificate, as PEM without a passphrase.")

    package static let postgresURL = SettingDefinition(
        "POSTGRES_URL",
        .text(
            .url(
                schemes: ["postgresql", "postgres"],
                example: "postgresql://user:password@host:5432/sightline")),
        default: "postgresql://127.0.0.1:5432/sightline", isSecret: true,
        programs: [.historyWorker, .commandLine],
        help: "The store of the history; with `?sslmode=verify-full&sslrootcert=FILE` over TLS.")
    package static let historyRetention = SettingDefinition(
        "HISTORY_RETENTION_DAYS", .integer(0...3_650, unit: "days"), default: "30",
        programs: [.historyWorker, .commandLine],
        help: "Days of history that are kept; older days are dropped, and 0 keeps all.")
    package static let historyMinimumInterval = SettingDefinition(
        "HISTORY_MIN_INTERVAL_MS", .integer(0...3_600_000, unit: "ms"), default: "0",
        programs: [.historyWorker, .commandLine],
        help: "Accepted fixes of a driver closer in time than this are not kept; 0 keeps all.")
    package static let historyMinimumDistance = SettingDefinition(
        "HISTORY_MIN_DISTANCE_METERS", .decimal(0...10_000, unit: "m"), default: "0",
        programs: [.historyWorker, .commandLine],
        help: "Accepted fixes of a driver closer together than this are not kept; 0 keeps all.")
    package static let historySmoothedPaths = SettingDefinition(
        "HISTORY_SMOOTHED_PATHS", .flag, default: "true", programs: [.historyWorker, .commandLine],
        help: "Whether positions are kept that are smoothed with the fixes of the next 15 to 30 s, too.")
}
