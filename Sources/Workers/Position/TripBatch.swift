import Codec
import Model
import Processing
import Redis
import Support

/// The rider updates of one batch, gathered by channel and partition, and what is known of those channels' keys.
///
/// A route's channel gets updates from the partitions of all its vehicles, and a trip's from another partition once
/// another driver takes it over. Partitions have no order among them, so each has a clock of its own in the channel's
/// hash, which only the holder of the partition writes. Updates go to the channel's stream one by one; its snapshot is
/// written once, with the newest of each kind. What is known is valid for one epoch of the partition, as in
/// ``DriverBatch``.
struct TripBatch: ~Copyable {
    private struct Update {
        var event: EventID
        /// Borrowed from the record.
        var message: ByteSlice
        /// The next update of the same channel and partition in the batch; -1 for none.
        var following: Int32 = -1
    }

    /// The newest JSON of each kind; borrowed from the records.
    private struct Snapshot {
        var position = ByteSlice.empty
        var eta = ByteSlice.empty
        var route = ByteSlice.empty
        var change = ByteSlice.empty
        var state = ByteSlice.empty
        var facts = ByteSlice.empty
        /// Whether another driver took the trip over: what the hash knows of the driver before is made empty.
        var isRematched = false

        /// The fields that the batch brings something for, with their names in the hash.
        func forEach(_ body: (StaticString, ByteSlice) -> Void) {
            if !position.isEmpty || isRematched { body("position", position) }
            if !eta.isEmpty || isRematched { body("eta", eta) }
            if !route.isEmpty || isRematched { body("route_polyline", route) }
            if !change.isEmpty { body("change", change) }
            if !state.isEmpty { body("state", state) }
            if !facts.isEmpty || isRematched { body("facts", facts) }
        }

        var count: Int {
            var count = 0
            forEach { _, _ in count += 1 }
            return count
        }
    }

    /// What is remembered of a channel and partition from batch to batch.
    private struct Known {
        /// The partition's epoch in which the rest was learnt; 0 before.
        var epoch: UInt32 = 0
        /// The number in ``gathered``; -1 when the batch has no update of it.
        var gathered: Int32 = -1
        /// How far the partition's updates are in the channel's keys.
        var written = Watermark()
        /// In the sink's monotonic milliseconds.
        var renewedAt = Int64.min
    }

    /// A channel's updates of one partition in the batch at hand.
    private struct Gathered {
        /// The number in ``table``.
        var channel: Int
        var partition: Int32
        var epoch: UInt32
        var oldest: Int32
        var newest: Int32
        var updatedAt: Timestamp
        var snapshot = Snapshot()
        /// Ids of entries that the stream holds already, although the snapshot knows nothing of the partition.
        var leftovers: [[UInt8]] = []
    }

    /// Channels by partition: the partition's number in four bytes, then the channel.
    private var table = KeyTable()
    private var name = ByteWriter(capacity: 256)
    private var known: [Known] = []
    private var gathered: [Gathered] = []
    private var updates: [Update] = []
    private let configuration: PositionSinkConfiguration
    /// Numbers of the gathered channels whose snapshots have to be looked up first.
    private(set) var unknown: [Int] = []
    /// Those of ``unknown`` whose snapshots turned out not to know the partition, and whose streams have to be looked
    /// at.
    private(set) var unseen: [Int] = []

    init(configuration: PositionSinkConfiguration) { self.configuration = configuration }

    /// Numbers of the channels that have updates in this batch, in order of appearance.
    var touched: Range<Int> { 0..<gathered.count }

    /// Forgets the updates of the last batch, and all that is known when that has grown too large.
    mutating func begin() {
        for one in gathered { known[one.channel].gathered = -1 }
        gathered.removeAll(keepingCapacity: true)
        unknown.removeAll(keepingCapacity: true)
        unseen.removeAll(keepingCapacity: true)
        updates.removeAll(keepingCapacity: true)
        if table.count > configuration.rememberedKeys {
            table = KeyTable()
            known = []
        }
    }

    /// Whether the channel's name can be a key: `trip:` or `route:` and an identifier.
    ///
    /// `trip:x:events` would take the place of the stream of `trip:x`.
    static func canKeep(_ channel: ByteSlice) -> Bool {
        guard let id = channel.dropping(prefix: "trip:") ?? channel.dropping(prefix: "route:") else { return false }
        return Identifier.isValid(id) && !channel.hasSuffix(":events")
    }

    /// Takes in an update; of each channel and partition they come in the order of their events.
    mutating func add(_ envelope: RiderUpdateEnvelope, of record: InputRecord, event: EventID, epoch: UInt32) {
        guard let message = record.value else { return }
        name.removeAll()
        name.append(littleEndian: UInt32(bitPattern: record.partition))
        name.append(envelope.channel)
        let (channel, isNew) = table.insert(name.bytes)
        if channel == known.count {
            known.append(Known())
        } else if isNew {
            known[channel] = Known()
        }
        let number = Int32(updates.count)
        let index: Int
        if known[channel].gathered < 0 {
            index = gathered.count
            known[channel].gathered = Int32(index)
            gathered.append(
                Gathered(
                    channel: channel, partition: record.partition, epoch: epoch, oldest: number, newest: number,
                    updatedAt: record.timestamp))
            if known[channel].epoch != epoch { unknown.append(index) }
        } else {
            index = Int(known[channel].gathered)
            updates[Int(gathered[index].newest)].following = number
            gathered[index].newest = number
            gathered[index].updatedAt = record.timestamp
        }
        updates.append(Update(event: event, message: message))
        Self.note(envelope, in: &gathered[index].snapshot)
    }

    private static func note(_ envelope: RiderUpdateEnvelope, in snapshot: inout Snapshot) {
        switch envelope.type {
        case .driverLocation:
            snapshot.position = envelope.payload
        case .etaUpdate:
            snapshot.eta = envelope.payload
            // The route comes only with the update that changes it, and has to outlive the next one.
            if !envelope.routePolyline.isEmpty { snapshot.route = envelope.routePolyline }
        case .tripStateChanged:
            snapshot.change = envelope.payload
            if envelope.isRematched {
                (snapshot.position, snapshot.eta) = (.empty, .empty)
                (snapshot.route, snapshot.facts) = (.empty, .empty)
                snapshot.isRematched = true
            }
            if !envelope.facts.isEmpty { snapshot.facts = envelope.facts }
            if !envelope.state.isEmpty { snapshot.state = envelope.state }
        default:
            break
        }
    }

    /// Writes the commands of a channel's updates of one partition.
    ///
    /// - Returns: how many updates were new to Redis; the others are left out.
    mutating func addCommands(
        of index: Int, prefix: UnsafeRawBufferPointer, now: Int64, to commands: inout RedisCommands
    ) -> Int {
        let one = gathered[index]
        let key = channel(of: one)
        if !one.leftovers.isEmpty { removeLeftovers(of: one, prefix: prefix, in: &commands) }
        var clock = known[one.channel].written
        var appended = 0
        var next = one.oldest
        while next >= 0 {
            let update = updates[Int(next)]
            if clock.advance(to: update.event) {
                append(update, key: key, prefix: prefix, to: &commands)
                appended += 1
            }
            next = update.following
        }
        guard appended > 0 else { return 0 }
        addSnapshot(of: one, clock, prefix: prefix, to: &commands)
        if isDue(one, now: now) { renew(key, prefix: prefix, in: &commands) }
        return appended
    }

    /// Makes what was written what is known; to be called once Redis has confirmed it.
    mutating func commit(now: Int64) {
        for one in gathered {
            var isNew = false
            var next = one.oldest
            while next >= 0 {
                if known[one.channel].written.advance(to: updates[Int(next)].event) { isNew = true }
                next = updates[Int(next)].following
            }
            if isNew, isDue(one, now: now) { known[one.channel].renewedAt = now }
        }
    }

    /// Whether a write is to renew the lifetime of the channel's keys; a change of state may be the trip's end.
    private func isDue(_ one: Gathered, now: Int64) -> Bool {
        now &- configuration.lifetimeSlack.wholeMilliseconds >= known[one.channel].renewedAt
            || !one.snapshot.state.isEmpty
    }

    /// The channel's name.
    private func channel(of one: Gathered) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: table.key(at: one.channel).buffer.dropFirst(MemoryLayout<Int32>.size))
    }

    private func append(
        _ update: Update, key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands
    ) {
        commands.begin("XADD", arguments: 9)
        commands.add(prefix, "", key, ":events")
        commands.add("MAXLEN")
        commands.add("~")
        commands.add(Int64(configuration.streamLength))
        // Redis numbers the entries, as they come: only it knows the order in which several partitions write.
        commands.add("*")
        commands.add("event_id")
        commands.add(update.event)
        commands.add("message")
        commands.add(update.message)
    }

    private func addSnapshot(
        of one: Gathered, _ clock: Watermark, prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands
    ) {
        let newest = updates[Int(one.newest)].event
        commands.begin("HSET", arguments: 1 + 2 * (3 + one.snapshot.count))
        commands.add(prefix, "", channel(of: one))
        commands.addClockField(of: one.partition)
        commands.add(clock)
        commands.add("event_id")
        commands.add(newest)
        commands.add("updated_at")
        commands.add(one.updatedAt.milliseconds)
        one.snapshot.forEach { name, value in
            commands.add(name)
            commands.add(value)
        }
    }

    private func renew(
        _ key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, in commands: inout RedisCommands
    ) {
        commands.begin("PEXPIRE", arguments: 2)
        commands.add(prefix, "", key)
        commands.add(configuration.tripLifetime.wholeMilliseconds)
        commands.begin("PEXPIRE", arguments: 2)
        commands.add(prefix, "", key, ":events")
        commands.add(configuration.tripLifetime.wholeMilliseconds)
    }
}

/// What has to be known of a channel's keys.
extension TripBatch {
    /// Asks how far the partition is in the channel's snapshot, and whether the stream is one; two answers.
    mutating func addLookup(of index: Int, prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands) {
        commands.begin("HGET", arguments: 2)
        commands.add(prefix, "", channel(of: gathered[index]))
        commands.addClockField(of: gathered[index].partition)
        commands.begin("XRANGE", arguments: 5)
        commands.add(prefix, "", channel(of: gathered[index]), ":events")
        commands.add("-")
        commands.add("+")
        commands.add("COUNT")
        commands.add("1")
    }

    /// Takes the first answer to ``addLookup(of:prefix:to:)``.
    mutating func learn(_ reply: RedisReply, of index: Int) {
        let one = gathered[index]
        let clock = reply.text.flatMap { Watermark(text: $0) }
        known[one.channel] = Known(epoch: one.epoch, gathered: Int32(index), written: clock ?? Watermark())
        if clock == nil { unseen.append(index) }
    }

    /// Asks for the entries of a channel's stream.
    mutating func addStreamLookup(of index: Int, prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands) {
        commands.begin("XRANGE", arguments: 3)
        commands.add(prefix, "", channel(of: gathered[index]), ":events")
        commands.add("-")
        commands.add("+")
    }

    /// Takes the answer to ``addStreamLookup(of:prefix:to:)``.
    ///
    /// A stream that outlived its snapshot may hold what this batch and those after it bring once more. That is taken
    /// out, to be written again with the snapshot; older entries stay.
    mutating func learnStream(_ reply: RedisReply, of index: Int) {
        let first = updates[Int(gathered[index].oldest)].event
        var isReached = false
        for entry in reply.elements {
            guard case .bytes(let id)? = entry.elements.first, let fields = entry.elements.last?.elements,
                fields.count > 1, let event = fields[1].text.flatMap({ EventID($0) }),
                event.partition == gathered[index].partition
            else { continue }
            if event.origin == first.origin, !first.isAfter(event) { isReached = true }
            if isReached { gathered[index].leftovers.append(id) }
        }
    }

    private func removeLeftovers(
        of one: Gathered, prefix: UnsafeRawBufferPointer, in commands: inout RedisCommands
    ) {
        commands.begin("XDEL", arguments: 1 + one.leftovers.count)
        commands.add(prefix, "", channel(of: one), ":events")
        for id in one.leftovers { id.withUnsafeBytes { commands.add($0) } }
    }
}
