import Codec
import Domain
import Foundation
import Kafka
import NIOCore
import NIOPosix
import Recordings
import Runtime
import SightlineCLI
import Support

/// A sender of updates to a server, for use by one thread.
protocol UpdateFeed {
    /// Queues an update; ``poll(waitMilliseconds:)`` sends it.
    func send(_ update: ByteSlice, channel: ByteSlice, partition: Int32) throws
    /// Sends queued updates, and waits up to `waitMilliseconds`.
    func poll(waitMilliseconds: Int) throws
    /// Waits until all updates are sent.
    func finish() throws
    func close()
}

/// A writer of updates to `rider.updates`, like broadcast-worker.
final class TopicFeed: UpdateFeed {
    private let producer: KafkaProducer
    private let topic: KafkaProducer.Topic
    private var failure: KafkaError?

    init(_ testbed: Testbed) throws {
        var settings = KafkaProducerSettings()
        // Short, because the linger is part of the latency.
        settings.lingerMilliseconds = 1
        producer = try KafkaProducer(testbed.access.kafka, settings: settings, log: PipelineAccess.log)
        topic = try producer.topic(testbed.topic(.riderUpdates))
    }

    func send(_ update: ByteSlice, channel: ByteSlice, partition: Int32) throws {
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        let record = KafkaProducer.Record(key: channel, value: update, timestamp: now)
        while true {
            switch producer.produce(record, to: topic, partition: partition, token: 0) {
            case .queued: return
            case .queueFull: try poll(waitMilliseconds: 100)
            case .refused(let error): throw error
            }
        }
    }

    func poll(waitMilliseconds: Int) throws {
        try producer.poll(waitMilliseconds: waitMilliseconds) { _, error in failure = failure ?? error }
        if let failure { throw failure }
    }

    func finish() throws {
        let isDone = try producer.flush(deadline: .now + .seconds(60)) { _, error in failure = failure ?? error }
        if let failure { throw failure }
        guard isDone else { throw InputError("\(producer.outstanding) updates were not acknowledged within 60 s.") }
    }

    func close() { producer.close() }
}

/// A sender of updates over a TCP connection: one line each with the channel, a tab and the update.
final class SocketFeed: UpdateFeed {
    private let channel: any Channel
    private var lines = ByteBuffer()
    private var last: EventLoopFuture<Void>

    /// - Throws: if no server listens on the port.
    init(port: Int) throws {
        channel = try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port).wait()
        last = channel.eventLoop.makeSucceededVoidFuture()
    }

    func send(_ update: ByteSlice, channel name: ByteSlice, partition: Int32) throws {
        lines.writeBytes(name.buffer)
        lines.writeInteger(UInt8(ascii: "\t"))
        lines.writeBytes(update.buffer)
        lines.writeInteger(UInt8(ascii: "\n"))
    }

    func poll(waitMilliseconds: Int) throws {
        if lines.readableBytes > 0 {
            last = channel.writeAndFlush(lines)
            lines = ByteBuffer()
        }
        if waitMilliseconds > 0 { Thread.sleep(forTimeInterval: Double(waitMilliseconds) / 1000) }
    }

    func finish() throws {
        try poll(waitMilliseconds: 0)
        try last.wait()
    }

    func close() { try? channel.close().wait() }
}

/// A source of positions on trips as broadcast-worker writes them, each with an ``UpdateProbe``.
final class LoadUpdates {
    let channels: [String]
    private let partitions: Int
    /// Last sequence number by channel.
    private var sequences: [Int64]
    /// Last event offset by partition.
    private var offsets: [Int64]
    private var plain = ByteWriter(capacity: 4096)
    private var probed = ByteWriter(capacity: 4096)

    init(trips: Int, partitions: Int) {
        channels = (0..<trips).map { "trip:load-\($0)" }
        self.partitions = partitions
        sequences = Array(repeating: 0, count: trips)
        offsets = Array(repeating: 0, count: partitions)
    }

    /// Sends the next update of a channel; `sentAt` is its due time on the clock of ``UpdateProbe/now``.
    func send(_ channel: Int, sentAt: Int64, to feed: any UpdateFeed) throws {
        let partition = channel % partitions
        sequences[channel] += 1
        offsets[partition] += 1
        var location = RiderUpdate.DriverLocation.blank
        location.coordinate = Coordinate(latitude: 48.137412, longitude: 11.575523)
        (location.headingDegrees, location.speedMetersPerSecond) = (270.4, 13.89)
        location.interpolationMilliseconds = 1000
        location.fixedAt = Timestamp(milliseconds: WallClock.milliseconds())
        try ByteSlice.withBytes(of: channels[channel]) { name in
            plain.removeAll()
            RiderUpdateWriter.write(
                event: EventID(partition: Int32(partition), offset: offsets[partition]), channel: name,
                update: .driverLocation(location), into: &plain)
            probed.removeAll()
            UpdateProbe(sequence: sequences[channel], sentAt: sentAt).append(to: plain.bytes, into: &probed)
            try feed.send(probed.bytes, channel: name, partition: Int32(partition))
        }
    }

    /// Sends updates of the first `trips` channels in turn at a steady rate.
    ///
    /// The probe of an update contains the time at which it was due, even if it is sent late.
    /// - Returns: the number of updates sent.
    @discardableResult
    func drive(
        trips: Int, ratePerSecond: Double, seconds: Double, to feed: any UpdateFeed, stop: StopSignal,
        while mayContinue: () throws -> Bool = { true }
    ) throws -> Int {
        let start = UpdateProbe.now
        let total = Int(seconds * ratePerSecond)
        for index in 0..<total {
            let dueAt = start + Int64(Double(index) / ratePerSecond * 1e6)
            while case let wait = dueAt - UpdateProbe.now, wait > 0 {
                try stop.check()
                guard try mayContinue() else { return index }
                try feed.poll(waitMilliseconds: wait > 1500 ? 1 : 0)
            }
            try send(index % trips, sentAt: dueAt, to: feed)
            if index % 64 == 0 { try feed.poll(waitMilliseconds: 0) }
        }
        try feed.finish()
        return total
    }
}

/// Sequence number and due time that the benchmark appends to the payload of an update.
struct UpdateProbe: Equatable {
    /// Number of the update in its channel, from 1; up to ten digits.
    var sequence: Int64
    /// Due time in µs of the monotonic clock.
    var sentAt: Int64

    private static let sequenceDigits = 10
    private static let timeDigits = 16
    /// Length of `SSSSSSSSSS-TTTTTTTTTTTTTTTT`.
    private static let textCount = sequenceDigits + 1 + timeDigits
    /// End of the probe, of the payload and of the update.
    private static let ending: StaticString = "\"}}"

    /// The monotonic clock in µs, which is the same in all processes.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// Appends an update with this probe; `update` ends with the closing braces of its payload and of itself.
    func append(to update: ByteSlice, into writer: inout ByteWriter) {
        writer.append(ByteSlice(UnsafeRawBufferPointer(rebasing: update.buffer.dropLast(2))))
        let format = ",\"probe\":\"%0\(Self.sequenceDigits)lld-%0\(Self.timeDigits)lld"
        writer.append(String(format: format, sequence, sentAt))
        writer.append(Self.ending)
    }

    /// Reads the probe of an update; returns `nil` if absent.
    static func read(_ update: UnsafeRawBufferPointer) -> UpdateProbe? {
        let text = UnsafeRawBufferPointer(rebasing: update.dropLast(ending.utf8CodeUnitCount).suffix(textCount))
        guard text.count == textCount, text[sequenceDigits] == UInt8(ascii: "-"),
            let sequence = number(text.prefix(sequenceDigits)), let time = number(text.suffix(timeDigits))
        else { return nil }
        return UpdateProbe(sequence: sequence, sentAt: time)
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
        var value: Int64 = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
