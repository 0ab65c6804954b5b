import Testing

@testable import PositionWorker
@testable import Processing
@testable import Redis

@Suite("Position sink configuration")
struct PositionSinkConfigurationTests {
    private let sound = PositionSinkConfiguration(redis: RedisConfiguration(host: "localhost"))

    @Test("the defaults can be used")
    func defaults() throws {
        #expect(sound.problems.isEmpty)
        _ = try PositionSink(sound)
    }

    @Test("each setting out of its range is named, all at once, before anything is connected")
    func problems() {
        var broken = sound
        broken.driverLifetime = .seconds(600)
        broken.tripLifetime = .seconds(600)
        broken.trailLength = 0
        broken.streamLength = 0
        broken.silentAfter = .zero
        broken.transactionRecords = 0
        broken.sweepLimit = 0
        broken.rememberedKeys = 0
        #expect(broken.problems.count == 8)
        do {
            _ = try PositionSink(broken)
            Issue.record("A sink is not made of broken settings.")
        } catch let error as any ClassifiedError {
            #expect(error.isFatal)
            for problem in broken.problems { #expect(error.description.contains(problem)) }
        } catch {
            Issue.record("The error says whether it is fatal: \(error)")
        }
    }

    @Test("lifetimes may be just longer than the slack, and drivers silent just as long as their keys live")
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

    @Test("an address without a server is a retriable error")
    func unreachable() throws {
        let sink = try PositionSink(PositionSinkConfiguration(redis: RedisConfiguration(host: "127.0.0.1", port: 1)))
        let error = #expect(throws: RedisError.self) { try sink.connect() }
        #expect(error?.isRetriable == true)
        #expect(throws: RedisError.self) {
            try sink.clocks(of: [SinkPartition(topic: "driver.locations", partition: 0)])
        }
    }
}
