import Testing

@testable import Runtime

@Suite("Worker settings")
struct WorkerSettingsTests {
    @Test("poll interval and session timeout reach processors and sinks")
    func pollInterval() throws {
        let environment = ["KAFKA_MAX_POLL_INTERVAL_MS": "45000", "KAFKA_SESSION_TIMEOUT_MS": "7000"]
        let processor = try Settings(for: .locationWorker, environment: environment).worker.processor
        #expect(processor.maximumPollIntervalMilliseconds == 45_000)
        #expect(processor.sessionTimeoutMilliseconds == 7000)
        let sink = try Settings(for: .positionWorker, environment: environment).worker.sink
        #expect(sink.maximumPollIntervalMilliseconds == 45_000)
        #expect(sink.sessionTimeoutMilliseconds == 7000)
    }

    @Test("the Kafka configuration has advice only if KAFKA_BOOTSTRAP_SERVERS is not set")
    func advice() throws {
        #expect(try !Settings(for: .commandLine, environment: [:]).kafkaConfiguration.advice.isEmpty)
        let environment = ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1"]
        #expect(try Settings(for: .commandLine, environment: environment).kafkaConfiguration.advice.isEmpty)
    }

    @Test("the default poll interval is five minutes")
    func defaultPollInterval() throws {
        #expect(
            try Settings(for: .etaWorker, environment: [:]).worker.processor.maximumPollIntervalMilliseconds == 300_000)
    }
}
