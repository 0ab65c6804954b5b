import Codec
import Model
import Processing
import Redis
import Support

extension PushSink {
    /// Adds the command that reads the clocks of `partitions`.
    func addClockRead(of partitions: [SinkPartition]) {
        commands.begin("MGET", arguments: partitions.count)
        for partition in partitions { commands.add(clockKey(of: partition)) }
    }

    /// Reads the answer to ``addClockRead(of:)``; `nil` for partitions never written.
    func storedClocks(in reply: RedisReply, of partitions: [SinkPartition]) throws -> [StoredWatermark?] {
        try zip(partitions, reply.elements).map { partition, element in
            guard let text = element.text else { return nil }
            guard let clock = StoredWatermark(text) else {
                throw PushSinkError(
                    description:
                        "The Redis key \(clockKey(of: partition)) does not hold a clock; delete it and the partition is "
                        + "read again from its beginning.", isRetriable: false)
            }
            return clock
        }
    }

    private func clockKey(of partition: SinkPartition) -> String {
        "\(configuration.keyPrefix)progress:push:\(partition.topic):\(partition.partition)"
    }

    /// Reads the clocks, which from here on nothing else may move until ``finish(_:unregistered:over:)``, and the time.
    func watchClocks(
        of partitions: [SinkPartition], over connection: RedisConnection
    ) throws -> ([StoredWatermark?], Timestamp) {
        commands.begin("WATCH", arguments: partitions.count)
        for partition in partitions { commands.add(clockKey(of: partition)) }
        addClockRead(of: partitions)
        commands.begin("TIME", arguments: 0)
        try connection.send(&commands)
        _ = try connection.receive()
        let clocks = try storedClocks(in: try connection.receive(), of: partitions)
        return (clocks, try Self.time(try connection.receive()))
    }

    /// The answer to `TIME`: seconds, and the microseconds since.
    static func time(_ reply: RedisReply) throws -> Timestamp {
        let parts = reply.elements.compactMap(\.integer)
        guard parts.count == 2 else { throw RedisError(.refused, "Redis answered TIME with something else.") }
        return Timestamp(milliseconds: parts[0] * 1000 + parts[1] / 1000)
    }

    /// The devices of trips, in one round trip.
    func devices(of trips: Set<String>, over connection: RedisConnection) throws -> [String: [PushDevice]] {
        let trips = trips.sorted()
        for trip in trips {
            commands.begin("HGETALL", arguments: 1)
            commands.add(PushDevice.key(prefix: configuration.keyPrefix, trip: trip))
        }
        try connection.send(&commands)
        var devices: [String: [PushDevice]] = [:]
        for trip in trips {
            let fields = try connection.receive().elements
            devices[trip] = stride(from: 0, to: fields.count - 1, by: 2).compactMap { index in
                guard let field = fields[index].text, let language = fields[index + 1].text else { return nil }
                return PushDevice(field: field, language: language)
            }
        }
        return devices
    }

    /// Moves the clocks on, and forgets devices: those that are registered no more, and soon those of ended trips.
    /// - Throws: a retriable ``PushSinkError`` where another worker has moved a clock meanwhile; it holds the partition.
    func finish(_ batch: PushBatch, unregistered: [PushKey], over connection: RedisConnection) throws {
        guard !batch.clocks.isEmpty else {
            _ = try connection.call("UNWATCH")
            return
        }
        commands.begin("MULTI", arguments: 0)
        for (partition, clock) in batch.clocks {
            commands.begin("SET", arguments: 2)
            commands.add(clockKey(of: partition))
            commands.add(clock.text)
        }
        for key in unregistered {
            commands.begin("HDEL", arguments: 2)
            commands.add(PushDevice.key(prefix: configuration.keyPrefix, trip: key.trip))
            commands.add(key.device.field)
        }
        for trip in batch.endedTrips {
            commands.begin("PEXPIRE", arguments: 2)
            commands.add(PushDevice.key(prefix: configuration.keyPrefix, trip: trip))
            commands.add(configuration.keptAfterEnd.wholeMilliseconds)
        }
        let count = batch.clocks.count + unregistered.count + batch.endedTrips.count
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        switch try connection.receiveTransaction(commands: count) {
        case .executed(let failures): if let failure = failures.first { throw failure }
        case .conflict:
            throw PushSinkError(
                description: "Another worker has moved the clock of a partition; the clocks are read again.",
                isRetriable: true)
        }
    }
}
