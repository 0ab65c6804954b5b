import Foundation
import Logging
import Testing

@testable import Domain
@testable import Runtime

@Suite("Reading settings")
struct SettingsReadingTests {
    /// Returns a valid value of `setting` that is not its default.
    static func otherValue(_ setting: SettingDefinition, for program: Program) -> String {
        let defaultText = setting.defaultText(for: program)
        switch setting.kind {
        case .integer(let range, _):
            let value = Int(defaultText)
            return String(value == range.upperBound ? range.upperBound - 1 : (value ?? 0) + 1)
        case .decimal(let range, _):
            let value = Double(defaultText) ?? 0
            return "\(value < range.upperBound ? value + (range.upperBound - value) / 64 : range.lowerBound)"
        case .flag: return defaultText == "true" ? "false" : "true"
        // The last choice of KAFKA_SECURITY_PROTOCOL, SASL_SSL, permits all other settings.
        case .choice(let values): return values.last { $0 != defaultText } ?? ""
        case .text(let rule):
            let isFile = rule.allowed == TextRule.readable(example: "").allowed
            return isFile ? #filePath : rule.example
        }
    }

    static func problems(_ program: Program, _ environment: [String: String]) -> [SettingsProblem] {
        do throws(SettingsError) {
            _ = try Settings(for: program, environment: environment)
            return []
        } catch {
            return error.problems
        }
    }

    @Test("all settings can be set together", arguments: Program.allCases)
    func everyKey(program: Program) throws {
        let settings = SettingTable.all
        let environment = Dictionary(uniqueKeysWithValues: settings.map { ($0.key, Self.otherValue($0, for: program)) })
        let read = try Settings(for: program, environment: environment)
        #expect(read.effective.count == settings.filter { $0.programs.contains(program) }.count)
        for effective in read.effective {
            #expect(effective.origin == .environment, "\(effective.key)")
            let setting = try #require(settings.first { $0.key == effective.key })
            if !setting.isSecret { #expect(effective.value == environment[effective.key]) }
        }
    }

    @Test("values are read into their properties")
    func typedValues() throws {
        let location = try Settings(
            for: .locationWorker,
            environment: [
                "KAFKA_BOOTSTRAP_SERVERS": "a:1, b:65535", "KAFKA_CLIENT_ID": "me", "SIGHTLINE_TOPIC_PREFIX": "blue.",
                "KAFKA_SESSION_TIMEOUT_MS": "6000", "KAFKA_MAX_POLL_INTERVAL_MS": "60001", "KAFKA_LINGER_MS": "0",
                "KAFKA_IDLE_FETCH_PAUSE_MS": "1000",
                "SIGHTLINE_HTTP_HOST": "::1", "SIGHTLINE_HTTP_PORT": "0", "LOG_LEVEL": "Debug", "LOG_FORMAT": "JSON",
                "SIGHTLINE_BATCH_RECORDS": "17", "SIGHTLINE_POLL_WAIT_MS": "7", "SIGHTLINE_DRAIN_TIMEOUT_MS": "2000",
                "SIGHTLINE_SHUTDOWN_TIMEOUT_MS": "15000", "SIGHTLINE_STUCK_AFTER_MS": "30000",
            ])
        #expect(location.kafka.bootstrapServers == "a:1,b:65535")
        #expect(location.kafka.clientID == "me")
        #expect(location.kafka.topicPrefix == "blue.")
        #expect(location.kafka.sessionTimeoutMilliseconds == 6000)
        #expect(location.kafka.maximumPollIntervalMilliseconds == 60_001)
        #expect(location.kafka.lingerMilliseconds == 0)
        #expect(location.kafka.idleFetchPauseMilliseconds == 1000)
        #expect(location.endpoint.host == "::1" && location.endpoint.port == 0)
        #expect(location.log.level == .debug && location.log.format == .json)
        #expect(location.worker.processor.maximumBatchRecords == 17)
        #expect(location.worker.processor.pollWaitMilliseconds == 7)
        #expect(location.worker.processor.drainDeadline == .seconds(2))
        #expect(location.worker.shutdownTimeout == .seconds(15))
        #expect(location.worker.stuckAfter == .seconds(30))

        let history = try Settings(
            for: .historyWorker,
            environment: [
                "POSTGRES_URL": "postgres://u:p@h/d", "HISTORY_RETENTION_DAYS": "7", "HISTORY_MIN_INTERVAL_MS": "500",
                "HISTORY_MIN_DISTANCE_METERS": "2.5", "HISTORY_SMOOTHED_PATHS": "false",
                "SIGHTLINE_SINK_BATCH_RECORDS": "9",
                "SIGHTLINE_RETRY_MIN_MS": "50", "SIGHTLINE_RETRY_MAX_MS": "900",
                "SIGHTLINE_SINK_BATCH_WAIT_MS": "11",
            ])
        #expect(history.postgres.url.reveal() == "postgres://u:p@h/d")
        #expect(history.postgres.retentionDays == 7)
        #expect(history.postgres.minimumIntervalMilliseconds == 500)
        #expect(history.postgres.minimumDistanceMeters == 2.5)
        #expect(!history.postgres.smoothsPaths)
        #expect(history.worker.sink.maximumBatchRecords == 9)
        #expect(history.worker.sink.shortestRetry == .milliseconds(50))
        #expect(history.worker.sink.longestRetry == .milliseconds(900))
        #expect(history.worker.sink.maximumLingerMilliseconds == 11)

        let position = try Settings(
            for: .positionWorker, environment: ["REDIS_URL": "redis://h:1/2", "SIGHTLINE_REDIS_PREFIX": "blue:"])
        #expect(position.redis.url.reveal() == "redis://h:1/2")
        #expect(position.redis.keyPrefix == "blue:")
        #expect(position.redis.nearestDrivers == .unflagged)
        for nearest in NearestDrivers.allCases {
            let environment = ["SIGHTLINE_NEAREST_DRIVERS": nearest.rawValue.uppercased()]
            #expect(try Settings(for: .positionWorker, environment: environment).redis.nearestDrivers == nearest)
        }
        #expect(throws: SettingsError.self) {
            try Settings(for: .positionWorker, environment: ["SIGHTLINE_NEAREST_DRIVERS": "some"])
        }

        let eta = try Settings(for: .etaWorker, environment: ["SIGHTLINE_DELAYED_SECONDS": "300"])
        #expect(eta.arrival.delay.delayedSeconds == 300)
        #expect(eta.arrival.delay.earlySeconds == 60)

        let tracking = try Settings(
            for: .locationWorker,
            environment: [
                "SIGHTLINE_RATE_LIMIT": "FALSE", "SIGHTLINE_RATE_OFF_TRIP_PER_MINUTE": "6",
                "SIGHTLINE_MAX_SPEED_MPS": "70",
            ])
        #expect(!tracking.tracking.rate.isLimited)
        #expect(tracking.tracking.rate.offTripPerSecond == 0.1)
        #expect(tracking.tracking.jumps.maximumSpeedMetersPerSecond == 70)

        let broadcast = try Settings(for: .broadcastWorker, environment: ["SIGHTLINE_LOCATION_INTERVAL_MS": "2000"])
        #expect(broadcast.broadcast.locationIntervalMilliseconds == 2000)
    }

    @Test("without variables, the domain's defaults apply", arguments: Program.allCases)
    func domainDefaults(program: Program) throws {
        let settings = try Settings(for: program, environment: [:])
        #expect(settings.tracking == TrackingSettings())
        #expect(settings.arrival == ArrivalSettings())
        #expect(settings.broadcast == BroadcastSettings())
    }

    @Test("each worker and gateway has its own default port")
    func ports() throws {
        let ports = try Program.allCases.filter(Set<Program>.services.contains)
            .map { try Settings(for: $0, environment: [:]).endpoint.port }
        #expect(ports.sorted() == [9101, 9102, 9103, 9104, 9105, 9106, 9107, 9108])
    }

    @Test("numbers are accepted only within their range", arguments: SettingTable.all)
    func bounds(setting: SettingDefinition) throws {
        let program = try #require(Program.allCases.first(where: setting.programs.contains))
        var inside: [String] = []
        var outside: [String] = ["x", "1,5", "--1", "nan", "inf", "1 000"]
        switch setting.kind {
        case .integer(let range, _):
            inside = [range.lowerBound, range.upperBound].map { "\($0)" }
            outside += ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "1.5", "99999999999999999999"]
        case .decimal(let range, _):
            inside = [range.lowerBound, range.upperBound].map { "\($0)" }
            outside += ["\(range.lowerBound.nextDown)", "\(range.upperBound.nextUp)"]
        case .flag, .choice, .text: return
        }
        // Problems of a value that conflicts with other settings are ignored.
        for value in inside {
            let own = Self.problems(program, [setting.key: value]).filter { $0.description.contains("must be a ") }
            #expect(own.isEmpty, "\(setting.key)=\(value)")
        }
        for value in outside {
            let own = Self.problems(program, [setting.key: value]).filter { $0.description.contains("must be a ") }
            #expect(own.map(\.keys) == [[setting.key]], "\(setting.key)=\(value)")
        }
    }

    @Test("all problems are reported in one error, each with its key and what to change")
    func allProblems() throws {
        let problems = Self.problems(
            .locationWorker,
            [
                "SIGHTLINE_BATCH_RECORDS": "0", "LOG_LEVEL": "loud", "KAFKA_BOOTSTRAP_SERVERS": "broker",
                "SIGHTLINE_TOPIC_PREFX": "a", "KAFKA_ACKS": "1",
            ])
        #expect(
            problems.map(\.description) == [
                "KAFKA_BOOTSTRAP_SERVERS=broker: must be host:port, several separated by commas, "
                    + "such as kafka-1:9092,kafka-2:9092.",
                "KAFKA_ACKS cannot be set: outputs must be replicated to all in-sync replicas.",
                "LOG_LEVEL=loud: must be one of trace, debug, info, notice, warning, error, critical, such as info.",
                "SIGHTLINE_BATCH_RECORDS=0: must be a whole number of records from 1 to 100000, such as 4096.",
                "SIGHTLINE_TOPIC_PREFX is not a setting: did you mean SIGHTLINE_TOPIC_PREFIX?",
            ])
        let text = SettingsError(problems: problems).description
        #expect(text.hasPrefix("5 settings are wrong:\n  KAFKA_BOOTSTRAP"))
        #expect(text.split(separator: "\n").count == 6)
    }

    @Test("settings of other programs are ignored, even if invalid")
    func otherPrograms() throws {
        let settings = try Settings(
            for: .locationWorker,
            environment: ["REDIS_URL": "nonsense", "POSTGRES_URL_FILE": "/no/such/file", "HISTORY_RETENTION_DAYS": "x"])
        #expect(!settings.effective.contains { $0.key == "REDIS_URL" })
    }

    @Test("combinations with settings of other programs are not checked")
    func otherProgramsCombinations() {
        let short = ["SIGHTLINE_SHUTDOWN_TIMEOUT_MS": "5000"]
        #expect(Self.problems(.positionWorker, short).isEmpty)
        #expect(Self.problems(.locationWorker, short).count == 1)
    }

    @Test("an empty or blank variable counts as absent", arguments: ["", "  ", "\t\n"])
    func blanks(text: String) throws {
        let settings = try Settings(
            for: .etaWorker, environment: ["SIGHTLINE_HTTP_PORT": text, "KAFKA_SECURITY_PROTOCOL": text])
        #expect(settings.endpoint.port == 9102)
        #expect(settings.kafka.properties.isEmpty)
    }

    @Test("values are trimmed")
    func trimming() throws {
        #expect(try Settings(for: .etaWorker, environment: ["SIGHTLINE_HTTP_PORT": " 80 \n"]).endpoint.port == 80)
    }

    /// Returns a program that reads the settings of `environment`.
    private static func reader(of environment: [String: String]) -> Program {
        environment.keys.contains { $0.hasPrefix("SIGHTLINE_RETRY") } ? .positionWorker : .etaWorker
    }

    @Test(
        "invalid combinations are problems with their keys",
        arguments: [
            (
                ["SIGHTLINE_DRAIN_TIMEOUT_MS": "19000", "SIGHTLINE_SHUTDOWN_TIMEOUT_MS": "19000"],
                ["SIGHTLINE_DRAIN_TIMEOUT_MS", "SIGHTLINE_SHUTDOWN_TIMEOUT_MS"]
            ),
            (
                ["KAFKA_MAX_POLL_INTERVAL_MS": "39999", "SIGHTLINE_RETRY_MAX_MS": "10000"],
                ["SIGHTLINE_RETRY_MAX_MS", "KAFKA_MAX_POLL_INTERVAL_MS"]
            ),
            (
                ["KAFKA_SESSION_TIMEOUT_MS": "300000", "KAFKA_MAX_POLL_INTERVAL_MS": "299999"],
                ["KAFKA_SESSION_TIMEOUT_MS", "KAFKA_MAX_POLL_INTERVAL_MS"]
            ),
            (["SIGHTLINE_RETRY_MIN_MS": "5001"], ["SIGHTLINE_RETRY_MIN_MS", "SIGHTLINE_RETRY_MAX_MS"]),
            (["SIGHTLINE_RETRY_MAX_MS": "60000"], ["SIGHTLINE_RETRY_MAX_MS", "SIGHTLINE_STUCK_AFTER_MS"]),
            (["SIGHTLINE_STALE_SECONDS": "601"], ["SIGHTLINE_STALE_SECONDS"]),
        ])
    func combinations(environment: [String: String], keys: [String]) {
        let program = Self.reader(of: environment)
        #expect(Self.problems(program, environment).map(\.keys) == [keys])
    }

    @Test(
        "combinations within their limits are accepted",
        arguments: [
            ["SIGHTLINE_DRAIN_TIMEOUT_MS": "19000", "SIGHTLINE_SHUTDOWN_TIMEOUT_MS": "19001"],
            ["KAFKA_MAX_POLL_INTERVAL_MS": "40000", "SIGHTLINE_RETRY_MAX_MS": "10000"],
            ["KAFKA_SESSION_TIMEOUT_MS": "300000"], ["SIGHTLINE_RETRY_MIN_MS": "5000"],
            ["SIGHTLINE_RETRY_MAX_MS": "59999"], ["SIGHTLINE_STALE_SECONDS": "120"],
        ])
    func workingCombinations(environment: [String: String]) {
        #expect(Self.problems(Self.reader(of: environment), environment).isEmpty)
    }

    @Test(
        "servers are host and port, separated by commas",
        arguments: [
            ("h:1", true), ("h:65535", true), ("[::1]:9092", true), ("SASL_SSL://h:9093,h2:9093", true),
            ("h:0", false), ("h:65536", false), ("h", false), (":9092", false), ("h:9092,", false), ("h:1 h:2", false),
        ])
    func servers(text: String, isAccepted: Bool) { #expect(TextRule.servers.accepts(text) == isAccepted) }

    @Test(
        "text rules accept only valid texts",
        arguments: [
            (TextRule.topicPrefix, "", true), (.topicPrefix, "a.B_9-", true), (.topicPrefix, "a b", false),
            (.topicPrefix, "a:", false), (.topicPrefix, String(repeating: "a", count: 200), true),
            (.topicPrefix, String(repeating: "a", count: 201), false),
            (.keyPrefix, "a:{b}", true), (.keyPrefix, "a b", false), (.keyPrefix, "é", false),
            (.secretKey, "", true), (.secretKey, String(repeating: "a", count: 31), false),
            (.secretKey, String(repeating: "a", count: 32), true),
            (.secretKey, String(repeating: "é", count: 16), true),
            (.secretKey, String(repeating: "a", count: 1_024), true),
            (.secretKey, String(repeating: "a", count: 1_025), false),
            (.secretKey, String(repeating: "a", count: 40) + "\nb", false),
            (.claim(example: ""), "https://a b", true), (.claim(example: ""), "a\u{7f}", false),
            (.origins, "", true), (.origins, "*", true), (.origins, "https://a.example,http://b:8080", true),
            (.origins, "http://[::1]:8080", true), (.origins, "a.example", false), (.origins, "https://", false),
            (.origins, "https://a.example/", false), (.origins, "https://A.example", false),
            (.origins, "https://a.example, https://b.example", false), (.origins, "https://a.example,*", false),
            (.url(schemes: ["redis"], example: ""), "redis://h", true),
            (.url(schemes: ["redis"], example: ""), "redis://", false),
            (.url(schemes: ["redis"], example: ""), "rediss://h", false),
            (.url(schemes: ["redis"], example: ""), "redis://h\nx", false),
        ] as [(TextRule, String, Bool)])
    func textRules(rule: TextRule, text: String, isAccepted: Bool) { #expect(rule.accepts(text) == isAccepted) }

    @Test("the effective configuration marks defaults and masks logins")
    func effectiveLines() throws {
        let lines = try Settings(for: .positionWorker, environment: ["REDIS_URL": "redis://:hush@cache:6379/1"])
            .effective.map(\.description)
        #expect(lines.contains("KAFKA_BOOTSTRAP_SERVERS=127.0.0.1:9092 (default)"))
        #expect(lines.contains("REDIS_URL=redis://****@cache:6379/1"))
    }
}
