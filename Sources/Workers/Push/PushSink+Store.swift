import Codec
import Domain
import PositionWorker
import Processing
import Redis
import Support

extension PushSink {
    /// Reads the time of Redis and the progress, which stays watched until ``finish(_:unregistered:over:)``.
    func watchProgress(
        of partitions: [SinkPartition], over connection: RedisConnection
    ) throws -> ([StoredWatermark?], Timestamp) {
        watermarks.addWatch(of: partitions, to: &commands)
        commands.add(command: "TIME")
        try connection.send(&commands)
        _ = try connection.receive()
        let stored = try watermarks.watermarks(in: try connection.receive(), of: partitions)
        return (stored, try connection.receive().time())
    }

    /// Reads the devices of trips in one round trip.
    func devices(of trips: Set<String>, over connection: RedisConnection) throws -> [String: [PushDevice]] {
        guard !trips.isEmpty else { return [:] }
        let trips = trips.sorted()
        for trip in trips { commands.add(command: "HGETALL", [key(of: trip)]) }
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

    /// Stores the progress, removes unregistered devices, and limits the lifetime of ended trips' devices.
    /// - Throws: a retriable ``SinkError`` if another worker has advanced a partition meanwhile.
    func finish(_ batch: PushBatch, unregistered: [PushKey], over connection: RedisConnection) throws {
        guard !batch.progress.isEmpty else {
            _ = try connection.call("UNWATCH")
            return
        }
        commands.begin("MULTI", arguments: 0)
        for (partition, watermark) in batch.progress {
            commands.add(command: "SET", [watermarks.key(of: partition), watermark.text])
        }
        let count = batch.progress.count + addDeviceRemoval(unregistered, endedTrips: batch.endedTrips)
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        switch try connection.receiveTransaction(commands: count) {
        case .executed(let failures): if let failure = failures.first { throw failure }
        case .conflict:
            throw SinkError("Another worker has advanced a partition; the progress is read again.", isRetriable: true)
        }
    }

    /// Adds commands that remove unregistered devices and expire ended trips; returns their number.
    func addDeviceRemoval(_ unregistered: [PushKey], endedTrips: Set<String>) -> Int {
        for key in unregistered { commands.add(command: "HDEL", [self.key(of: key.trip), key.device.field]) }
        let lifetime = String(configuration.keptAfterEnd.wholeMilliseconds)
        for trip in endedTrips { commands.add(command: "PEXPIRE", [key(of: trip), lifetime]) }
        return unregistered.count + endedTrips.count
    }

    private func key(of trip: String) -> String { PushDevice.key(prefix: configuration.keyPrefix, trip: trip) }
}
