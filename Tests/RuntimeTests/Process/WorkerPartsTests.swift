import Testing

@testable import Runtime

@Suite("What workers are assembled from")
struct WorkerPartsTests {
    @Test("the poll interval and the session timeout of the environment reach stages and sinks")
    func pollInterval() throws {
        let environment = ["KAFKA_MAX_POLL_INTERVAL_MS": "45000", "KAFKA_SESSION_TIMEOUT_MS": "7000"]
        let stage = try Settings(for: .locationWorker, environment: environment).stageWorker
        #expect(stage.maximumPollIntervalMilliseconds == 45_000)
        #expect(stage.sessionTimeoutMilliseconds == 7000)
        let sink = try Settings(for: .positionWorker, environment: environment).sinkWorker
        #expect(sink.maximumPollIntervalMilliseconds == 45_000)
        #expect(sink.sessionTimeoutMilliseconds == 7000)
    }

    @Test("programs without any address of Kafka advise to set one, and programs with one do not")
    func advice() throws {
        #expect(try !Settings(for: .commandLine, environment: [:]).kafkaConfiguration.advice.isEmpty)
        let environment = ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1"]
        #expect(try Settings(for: .commandLine, environment: environment).kafkaConfiguration.advice.isEmpty)
    }

    @Test("without a setting stages have five minutes between polls")
    func defaultPollInterval() throws {
        #expect(try Settings(for: .etaWorker, environment: [:]).stageWorker.maximumPollIntervalMilliseconds == 300_000)
    }
}
