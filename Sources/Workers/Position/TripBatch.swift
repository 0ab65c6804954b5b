import Codec
import Domain
import Processing
import Redis
import Support

/// Rider updates of one batch, grouped by channel and partition, and a cache of the channels' keys.
///
/// A route receives updates from the partitions of all its vehicles, and a trip from another partition after another
/// driver has taken it over. There is no order between partitions, so the channel's hash has a watermark per partition,
/// which only the partition's owner writes. Each update is appended to the channel's stream. The snapshot in the hash
/// is written once, with the newest update of each kind. The cache is valid for one generation, as in ``DriverBatch``.
struct TripBatch: ~Copyable {
    private struct Update {
        var event: EventID
        /// Borrowed from the record.
        var message: ByteSlice
        /// Index of the next update of the same channel and partition; -1 for none.
        var following: Int32 = -1
    }

    /// Newest value of each hash field, borrowed from the records; empty if the batch has none.
    private struct Snapshot {
        var position = ByteSlice.empty
        var eta = ByteSlice.empty
        var route = ByteSlice.empty
        var change = ByteSlice.empty
        var state = ByteSlice.empty
        var facts = ByteSlice.empty
        /// Whether another driver took the trip over, which clears the fields of the former driver.
        var isRematched = false

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

    private struct CachedChannel {
        /// Generation of the partition in which the cached values are valid; 0 without values.
        var generation: UInt32 = 0
        /// Index in ``changes``; -1 if the batch has no update of the channel.
        var change: Int32 = -1
        /// Watermark of the partition in the channel's hash.
        var written = Watermark()
        /// Last renewal of the lifetime, in the sink's monotonic milliseconds.
        var renewedAt = Int64.min
    }

    /// Updates of one channel and partition in the batch.
    private struct Change {
        /// Index in ``table``.
        var channel: Int
        var partition: Int32
        var generation: UInt32
        var oldest: Int32
        var newest: Int32
        var updatedAt: Timestamp
        var snapshot = Snapshot()
        /// Watermark after the added commands; `nil` without commands.
        var written: Watermark?
        /// Ids of stream entries of the partition that outlived the hash and will be written again.
        var leftovers: [[UInt8]] = []
    }

    /// Slots by key: the partition's number in four bytes, then the channel.
    private var table = KeyTable()
    private var name = ByteWriter(capacity: 256)
    private var known: ContiguousArray<CachedChannel> = []
    private var changes: [Change] = []
    private var updates: [Update] = []
    private let configuration: PositionSinkConfiguration
    /// Bytes of ``PositionSinkConfiguration/keyPrefix``, owned by the sink.
    private let prefix: UnsafeRawBufferPointer
    /// Indices of the changes whose channels are not cached.
    private(set) var unknown: [Int] = []
    /// Indices of the changes whose channel's hash has no watermark of the partition.
    private(set) var withoutWatermark: [Int] = []

    init(_ configuration: PositionSinkConfiguration, prefix: UnsafeRawBufferPointer) {
        self.configuration = configuration
        self.prefix = prefix
    }

    var touched: Range<Int> { 0..<changes.count }

    /// Starts a batch; clears the cache if it has grown beyond its limit.
    mutating func begin() {
        for change in changes { known[change.channel].change = -1 }
        changes.removeAll(keepingCapacity: true)
        unknown.removeAll(keepingCapacity: true)
        withoutWatermark.removeAll(keepingCapacity: true)
        updates.removeAll(keepingCapacity: true)
        if table.count > configuration.cachedKeys {
            table = KeyTable()
            known = []
        }
    }

    /// Returns whether the channel can be a key: `trip:` or `route:` and an identifier.
    ///
    /// A channel `trip:x:events` would have the key of the stream of `trip:x`.
    static func isKey(_ channel: ByteSlice) -> Bool {
        guard let id = channel.dropping(prefix: "trip:") ?? channel.dropping(prefix: "route:") else { return false }
        return Identifier.isValid(id) && !channel.hasSuffix(":events")
    }

    /// Adds an update; updates of a channel and partition must be added in the order of events.
    mutating func add(_ envelope: RiderUpdateEnvelope, of record: InputRecord, event: EventID, generation: UInt32) {
        guard let message = record.value else { return }
        name.removeAll()
        name.append(littleEndian: UInt32(bitPattern: record.partition))
        name.append(envelope.channel)
        let channel = table.slot(of: name.bytes, in: &known, blank: CachedChannel())
        let number = Int32(updates.count)
        let index: Int
        if known[channel].change < 0 {
            index = changes.count
            known[channel].change = Int32(index)
            changes.append(
                Change(
                    channel: channel, partition: record.partition, generation: generation, oldest: number,
                    newest: number, updatedAt: record.timestamp))
            if known[channel].generation != generation { unknown.append(index) }
        } else {
            index = Int(known[channel].change)
            updates[Int(changes[index].newest)].following = number
            changes[index].newest = number
            changes[index].updatedAt = record.timestamp
        }
        updates.append(Update(event: event, message: message))
        Self.update(&changes[index].snapshot, envelope)
    }

    private static func update(_ snapshot: inout Snapshot, _ envelope: RiderUpdateEnvelope) {
        switch envelope.type {
        case .driverLocation:
            snapshot.position = envelope.payload
        case .etaUpdate:
            snapshot.eta = envelope.payload
            // Only an update that changes the route contains it.
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

    /// Adds the commands that write a change.
    ///
    /// - Returns: the number of updates written; updates that Redis already has are skipped.
    mutating func addCommands(of index: Int, now: Int64, to commands: inout RedisCommands) -> Int {
        let change = changes[index]
        let key = channel(of: change)
        if !change.leftovers.isEmpty { removeLeftovers(of: change, in: &commands) }
        var watermark = known[change.channel].written
        var appended = 0
        var next = change.oldest
        while next >= 0 {
            let update = updates[Int(next)]
            if watermark.advance(to: update.event) {
                append(update, key: key, to: &commands)
                appended += 1
            }
            next = update.following
        }
        guard appended > 0 else { return 0 }
        changes[index].written = watermark
        addSnapshot(of: change, watermark, to: &commands)
        if isRenewalDue(of: change, now: now) {
            commands.addExpiry(prefix, "", key, after: configuration.tripLifetime)
            commands.addExpiry(prefix, "", key, ":events", after: configuration.tripLifetime)
        }
        return appended
    }

    /// Updates the cache as if Redis had executed the commands.
    mutating func commit(now: Int64) {
        for change in changes {
            guard let written = change.written else { continue }
            known[change.channel].written = written
            if isRenewalDue(of: change, now: now) { known[change.channel].renewedAt = now }
        }
    }

    /// Returns whether to renew the keys' lifetime; always at a change of state, perhaps the end.
    private func isRenewalDue(of change: Change, now: Int64) -> Bool {
        now &- configuration.lifetimeSlack.wholeMilliseconds >= known[change.channel].renewedAt
            || !change.snapshot.state.isEmpty
    }

    private func channel(of change: Change) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: table.key(at: change.channel).buffer.dropFirst(MemoryLayout<Int32>.size))
    }

    private func append(_ update: Update, key: UnsafeRawBufferPointer, to commands: inout RedisCommands) {
        commands.begin("XADD", arguments: 9)
        commands.add(prefix, "", key, ":events")
        commands.add("MAXLEN")
        commands.add("~")
        commands.add(Int64(configuration.streamLength))
        // Redis numbers the entries, because only Redis orders the writes of several partitions.
        commands.add("*")
        commands.add("event_id")
        commands.add(update.event)
        commands.add("message")
        commands.add(update.message)
    }

    private func addSnapshot(of change: Change, _ watermark: Watermark, to commands: inout RedisCommands) {
        let newest = updates[Int(change.newest)].event
        commands.begin("HSET", arguments: 1 + 2 * (3 + change.snapshot.count))
        commands.add(prefix, "", channel(of: change))
        commands.addWatermarkField(of: change.partition)
        commands.add(watermark)
        commands.add("event_id")
        commands.add(newest)
        commands.add("updated_at")
        commands.add(change.updatedAt.milliseconds)
        change.snapshot.forEach { name, value in
            commands.add(name)
            commands.add(value)
        }
    }
}

// MARK: - Lookups

extension TripBatch {
    /// Adds the two commands that read the partition's watermark and check the type of the stream.
    mutating func addLookup(of index: Int, to commands: inout RedisCommands) {
        commands.begin("HGET", arguments: 2)
        commands.add(prefix, "", channel(of: changes[index]))
        commands.addWatermarkField(of: changes[index].partition)
        commands.begin("XRANGE", arguments: 5)
        commands.add(prefix, "", channel(of: changes[index]), ":events")
        commands.add("-")
        commands.add("+")
        commands.add("COUNT")
        commands.add("1")
    }

    /// Caches the first reply to ``addLookup(of:to:)``.
    mutating func cache(_ reply: RedisReply, of index: Int) {
        let change = changes[index]
        let watermark = reply.text.flatMap { Watermark(text: $0) }
        known[change.channel] = CachedChannel(
            generation: change.generation, change: Int32(index), written: watermark ?? Watermark())
        if watermark == nil { withoutWatermark.append(index) }
    }

    /// Adds the command that reads the entries of a channel's stream.
    mutating func addStreamLookup(of index: Int, to commands: inout RedisCommands) {
        commands.begin("XRANGE", arguments: 3)
        commands.add(prefix, "", channel(of: changes[index]), ":events")
        commands.add("-")
        commands.add("+")
    }

    /// Stores the ids of stream entries to remove, because this or a later batch writes them again.
    ///
    /// A stream can outlive the channel's hash, which contains the watermark. Entries older than the batch stay.
    mutating func addLeftovers(in reply: RedisReply, of index: Int) {
        let first = updates[Int(changes[index].oldest)].event
        var isReached = false
        for entry in reply.elements {
            guard case .bytes(let id)? = entry.elements.first, let fields = entry.elements.last?.elements,
                fields.count > 1, let event = fields[1].text.flatMap({ EventID($0) }),
                event.partition == changes[index].partition
            else { continue }
            if event.origin == first.origin, !first.isAfter(event) { isReached = true }
            if isReached { changes[index].leftovers.append(id) }
        }
    }

    private func removeLeftovers(of change: Change, in commands: inout RedisCommands) {
        commands.begin("XDEL", arguments: 1 + change.leftovers.count)
        commands.add(prefix, "", channel(of: change), ":events")
        for id in change.leftovers { id.withUnsafeBytes { commands.add($0) } }
    }
}
