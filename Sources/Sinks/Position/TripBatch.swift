import Lanes
import Redis
import Tracking

/// The rider updates of one batch, gathered by channel, and what is known of those channels' keys.
///
/// Updates go to the channel's stream one by one; its snapshot is written once, with the newest of each kind. What is
/// known is valid for one epoch of the lane, as in ``DriverBatch``.
struct TripBatch: ~Copyable {
    private struct Update {
        var offset: Int64
        var event: EventID?
        /// Borrowed from the record.
        var message: ByteSlice
        /// The channel's update after this one in the batch; -1 for none.
        var following: Int32 = -1
    }

    /// The newest JSON of each kind; borrowed from the records.
    private struct Snapshot {
        var position = ByteSlice.empty
        var eta = ByteSlice.empty
        var route = ByteSlice.empty
        var change = ByteSlice.empty
        var state = ByteSlice.empty

        /// The fields that the batch brings something for, with their names in the hash.
        func forEach(_ body: (StaticString, ByteSlice) -> Void) {
            if !position.isEmpty { body("position", position) }
            if !eta.isEmpty { body("eta", eta) }
            if !route.isEmpty { body("route_polyline", route) }
            if !change.isEmpty { body("change", change) }
            if !state.isEmpty { body("state", state) }
        }

        var count: Int {
            var count = 0
            forEach { _, _ in count += 1 }
            return count
        }
    }

    private struct Known {
        var epoch: UInt32 = 0
        var batchEpoch: UInt32 = 0
        /// The offset of the last update written; -1 before the first.
        var version: Int64 = -1
        var renewedAt = Int64.min
        var oldest: Int32 = -1
        var newest: Int32 = -1
        var updatedAt = Timestamp(milliseconds: 0)
        var snapshot = Snapshot()
    }

    private var table = KeyTable()
    private var known: [Known] = []
    private var updates: [Update] = []
    private let configuration: PositionSinkConfiguration
    /// Numbers of the channels that have updates in this batch, in order of appearance.
    private(set) var touched: [Int] = []
    /// Those of ``touched`` whose keys have to be looked up first.
    private(set) var unknown: [Int] = []

    init(configuration: PositionSinkConfiguration) { self.configuration = configuration }

    /// Forgets the updates of the last batch, and all that is known when that has grown too large.
    mutating func begin() {
        for channel in touched {
            known[channel].oldest = -1
            known[channel].newest = -1
            known[channel].snapshot = Snapshot()
        }
        touched.removeAll(keepingCapacity: true)
        unknown.removeAll(keepingCapacity: true)
        updates.removeAll(keepingCapacity: true)
        if table.count > configuration.rememberedKeys {
            table = KeyTable()
            known = []
        }
    }

    /// Whether the channel's name can be a key: `trip:x:events` would take the place of the stream of `trip:x`.
    static func canKeep(_ channel: ByteSlice) -> Bool {
        (channel.hasPrefix("trip:") || channel.hasPrefix("route:")) && !channel.hasSuffix(":events")
    }

    /// Takes in an update; of each channel they come in offset order.
    mutating func add(_ envelope: UpdateEnvelope, of record: InputRecord, message: ByteSlice, epoch: UInt32) {
        let (channel, isNew) = table.insert(envelope.channel)
        if channel == known.count {
            known.append(Known())
        } else if isNew {
            known[channel] = Known()
        }
        if known[channel].newest < 0 {
            touched.append(channel)
            known[channel].batchEpoch = epoch
            known[channel].oldest = Int32(updates.count)
            if known[channel].epoch != epoch { unknown.append(channel) }
        } else {
            updates[Int(known[channel].newest)].following = Int32(updates.count)
        }
        known[channel].newest = Int32(updates.count)
        known[channel].updatedAt = record.timestamp
        updates.append(Update(offset: record.offset, event: record.clock ?? envelope.event, message: message))
        Self.note(envelope, in: &known[channel].snapshot)
    }

    private static func note(_ envelope: UpdateEnvelope, in snapshot: inout Snapshot) {
        switch envelope.kind {
        case .driverLocation:
            snapshot.position = envelope.payload
        case .eta:
            snapshot.eta = envelope.payload
            // The route comes only with the update that changes it, and has to outlive the next one.
            if let route = envelope.payloadMember("route_polyline") { snapshot.route = route.value }
        case .stateChanged:
            snapshot.change = envelope.payload
            if let state = envelope.payloadMember("state") { snapshot.state = state.text }
        case .other:
            break
        }
    }

    /// Asks for what has to be known of a channel's keys.
    mutating func addLookup(of channel: Int, prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands) {
        commands.begin("HGET", arguments: 2)
        commands.add(prefix, "", table.key(at: channel).buffer)
        commands.add("version")
    }

    /// Takes the answer to ``addLookup(of:prefix:to:)``.
    mutating func learn(_ reply: RedisReply, of channel: Int) {
        known[channel].epoch = known[channel].batchEpoch
        known[channel].version = reply.integer ?? -1
        known[channel].renewedAt = .min
    }

    /// Writes a channel's commands.
    ///
    /// - Returns: how many updates were new to Redis; the others are left out.
    mutating func addCommands(
        of channel: Int, prefix: UnsafeRawBufferPointer, now: Int64, to commands: inout RedisCommands
    ) -> Int {
        let entry = known[channel]
        let key = table.key(at: channel).buffer
        var appended = 0
        var index = entry.oldest
        while index >= 0 {
            let update = updates[Int(index)]
            if update.offset > entry.version {
                append(update, key: key, prefix: prefix, to: &commands)
                appended += 1
            }
            index = update.following
        }
        guard appended > 0 else { return 0 }
        addSnapshot(of: entry, key: key, prefix: prefix, to: &commands)
        if now &- configuration.lifetimeSlack.wholeMilliseconds >= entry.renewedAt || !entry.snapshot.state.isEmpty {
            renew(key, prefix: prefix, in: &commands)
        }
        return appended
    }

    /// Makes what was written what is known; to be called once Redis has confirmed it.
    mutating func commit(now: Int64) {
        for channel in touched {
            let newest = updates[Int(known[channel].newest)].offset
            guard newest > known[channel].version else { continue }
            known[channel].version = newest
            let isDue = now &- configuration.lifetimeSlack.wholeMilliseconds >= known[channel].renewedAt
            if isDue || !known[channel].snapshot.state.isEmpty { known[channel].renewedAt = now }
        }
    }

    private func append(
        _ update: Update, key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands
    ) {
        commands.begin("XADD", arguments: 9)
        commands.add(prefix, "", key, ":events")
        commands.add("MAXLEN")
        commands.add("~")
        commands.add(Int64(configuration.streamLength))
        // The offset is the id, so that writing an update again cannot put it there twice, and a rider who was
        // disconnected can name the last update seen.
        commands.addStreamID(update.offset)
        commands.add("event_id")
        if let event = update.event { commands.add(event) } else { commands.add("") }
        commands.add("message")
        commands.add(update.message)
    }

    private func addSnapshot(
        of entry: Known, key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands
    ) {
        let newest = updates[Int(entry.newest)]
        commands.begin("HSET", arguments: 1 + 2 * (3 + entry.snapshot.count))
        commands.add(prefix, "", key)
        commands.add("version")
        commands.add(newest.offset)
        commands.add("event_id")
        if let event = newest.event { commands.add(event) } else { commands.add("") }
        commands.add("updated_at")
        commands.add(entry.updatedAt.milliseconds)
        entry.snapshot.forEach { name, value in
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
