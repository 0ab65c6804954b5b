import Testing

@testable import PositionWorker
@testable import Processing
@testable import Redis

@Suite("Position sink configuration")
struct PositionSinkConfigurationTests {
    private let sound = PositionSinkConfiguration(redis: RedisConfiguration(host: "localhost"))

    @Test("the defaults are valid")
    func defaults() throws {
        #expect(sound.problems.isEmpty)
        _ = try PositionSink(sound)
    }

    @Test("all invalid settings are reported together, before connecting")
    func problems() {
        var broken = sound
        broken.driverLifetime = .seconds(600)
        broken.tripLifetime = .seconds(600)
        broken.trailLength = 0
        broken.streamLength = 0
        broken.silentAfter = .zero
        broken.transactionRecords = 0
        broken.sweepLimit = 0
        broken.cachedKeys = 0
        #expect(broken.problems.count == 8)
        do {
            _ = try PositionSink(broken)
            Issue.record("The sink accepted invalid settings.")
        } catch let error as any ClassifiedError {
            #expect(error.isFatal)
            for problem in broken.problems { #expect(error.description.contains(problem)) }
        } catch {
            Issue.record("The error is not classified: \(error)")
        }
    }

    @Test("lifetimes may be just longer than the slack, and silentAfter equal to the lifetime")
    func boundaries() {
        var tight = sound
        tight.driverLifetime = .seconds(601)
        tight.tripLifetime = .seconds(601)
        tight.silentAfter = .seconds(601)
        #expect(tight.problems.isEmpty)
        tight.silentAfter = .seconds(602)
        #expect(tight.problems.count == 1)
        tight.lifetimeSlack = .seconds(-1)
        #expect(tight.problems.count == 2)
    }

    @Test("a connection failure is retriable")
    func unreachable() throws {
        let sink = try PositionSink(PositionSinkConfiguration(redis: RedisConfiguration(host: "127.0.0.1", port: 1)))
        let error = #expect(throws: RedisError.self) { try sink.connect() }
        #expect(error?.isRetriable == true)
        #expect(throws: RedisError.self) {
            try sink.nextOffsets(of: [SinkPartition(topic: "driver.locations", partition: 0)])
        }
    }
}
