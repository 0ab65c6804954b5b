import Foundation
import Recordings
import Redis

/// What workers of a stage write to Redis; belongs to one thread.
final class StageKeys {
    private static let patience = Duration.seconds(60)
    /// Keys of one command.
    private static let batchSize = 1000

    private let stage: BenchStage
    private let connection: RedisConnection

    init(_ stage: BenchStage) throws {
        self.stage = stage
        connection = try RedisConnection(stage.access.settings.redisConfiguration())
    }

    /// Waits until position-worker has written all of `channels`.
    func wait(for channels: [String]) throws {
        let deadline = ContinuousClock.now + Self.patience
        var rest = channels[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchSize).map { stage.prefix + $0 }
            guard try ask("EXISTS", batch) < batch.count else {
                rest = rest.dropFirst(batch.count)
                continue
            }
            guard ContinuousClock.now < deadline else {
                throw InputError("position-worker has not stored \(channels.count) trips within 60 s.")
            }
            try stage.stop.check()
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Removes all keys of the stage; the workers have stopped.
    func remove() throws {
        try connection.scan(prefix: stage.prefix, "*") { keys in
            if !keys.isEmpty { _ = try ask("UNLINK", keys) }
        }
    }

    /// The number that Redis answers to a command with `keys`.
    private func ask(_ command: StaticString, _ keys: [String]) throws -> Int64 {
        var commands = RedisCommands()
        commands.begin(command, arguments: keys.count)
        for key in keys { commands.add(key) }
        try connection.send(&commands)
        return try connection.receive().integer ?? 0
    }
}
