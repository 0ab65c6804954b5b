import Codec
import Domain
import Processing
import Redis
import Support

/// Positions and risks of one batch, grouped by driver, and a cache of the drivers' keys.
///
/// The cache (area, last event, risk, renewal of the lifetime) saves lookups in Redis. It is valid for one *generation*
/// of the driver's partition: as long as no other process has written the partition.
struct DriverBatch: ~Copyable {
    private struct CachedDriver {
        /// Generation of the partition in which the cached values are valid; 0 without values.
        var generation: UInt32 = 0
        var area = GeoArea.none
        var event: EventID?
        /// Receipt time of the position of ``event``.
        var receivedAt = Timestamp(milliseconds: 0)
        var risk = DriverRisk.unknown
        /// Last renewal of the lifetime, in the sink's monotonic milliseconds.
        var renewedAt = Int64.min
        /// Index of the driver's newest point in the batch; -1 for none.
        var newest: Int32 = -1
        /// Index in ``laterVerdicts``; -1 if no verdict without a position follows the newest point.
        var later: Int32 = -1
        /// Generation of the partition in this batch.
        var batchGeneration: UInt32 = 0
    }

    private struct Placement {
        var area: GeoArea
        var driver: Int32
        var score: Int64
    }

    private static let cachedFields: [StaticString] = [
        "area", "event_id", "received_at", "risk", "is_flagged", "is_suspect",
    ]

    private var table = KeyTable()
    private var known: ContiguousArray<CachedDriver> = []
    private var points: [DriverPoint] = []
    private var laterVerdicts: [LaterVerdicts] = []
    /// Trip ids of ``points``.
    private var tripIDs = ByteWriter(capacity: 1 << 12)
    private var trail: [Int32] = []
    private var placements: [Placement] = []
    private let configuration: PositionSinkConfiguration
    /// Bytes of ``PositionSinkConfiguration/keyPrefix``, owned by the sink.
    private let prefix: UnsafeRawBufferPointer
    /// Drivers that this batch may change, in order of appearance.
    private(set) var touched: [Int] = []
    /// Drivers of ``touched`` that are not cached.
    private(set) var unknown: [Int] = []

    init(_ configuration: PositionSinkConfiguration, prefix: UnsafeRawBufferPointer) {
        self.configuration = configuration
        self.prefix = prefix
    }

    /// Starts a batch; clears the cache if it has grown beyond its limit.
    mutating func begin() {
        for driver in touched {
            known[driver].newest = -1
            known[driver].later = -1
        }
        touched.removeAll(keepingCapacity: true)
        unknown.removeAll(keepingCapacity: true)
        points.removeAll(keepingCapacity: true)
        laterVerdicts.removeAll(keepingCapacity: true)
        placements.removeAll(keepingCapacity: true)
        tripIDs.removeAll()
        if table.count > configuration.cachedKeys {
            table = KeyTable()
            known = []
        }
    }

    /// Returns whether a key may contain `id`; the hash of `x:trail` would be the trail of `x`.
    static func isKey(_ id: ByteSlice) -> Bool { Identifier.isValid(id) && !id.hasSuffix(":trail") }

    /// Adds a position that follows the driver's last one in the batch; ignores others.
    mutating func add(_ record: borrowing VerdictRecord, _ estimate: Estimate, event: EventID, generation: UInt32) {
        let driver = table.slot(of: record.driverID, in: &known, blank: CachedDriver())
        touch(driver, generation)
        let previous = known[driver].newest
        let tripStart = tripIDs.count
        tripIDs.append(record.tripID)
        let point = DriverPoint(
            event: event, coordinate: estimate.coordinate, headingDegrees: estimate.headingDegrees,
            speedMetersPerSecond: estimate.speedMetersPerSecond, accuracyMeters: estimate.accuracyMeters,
            confidence: estimate.confidence, isHalted: estimate.isHalted, fixedAt: record.fixedAt,
            receivedAt: record.receivedAt, risk: DriverRisk(record), trip: tripStart..<tripIDs.count,
            previous: previous)
        if previous >= 0 {
            let last = points[Int(previous)]
            guard event.follows(last.event, point.receivedAt, last.receivedAt) else { return }
        }
        points.append(point)
        known[driver].newest = Int32(points.count - 1)
        known[driver].later = -1
    }

    /// Adds a verdict without an estimate, which does not move the driver but may change the driver's risk.
    mutating func addRisk(_ record: borrowing VerdictRecord, event: EventID, generation: UInt32) {
        let driver = table.slot(of: record.driverID, in: &known, blank: CachedDriver())
        let risk = DriverRisk(record)
        var later = LaterVerdicts(
            event: event, receivedAt: record.receivedAt, risk: risk, since: event,
            wasExcluded: risk.isExcluded(from: configuration.nearestDrivers))
        let (newest, index) = (known[driver].newest, known[driver].later)
        if index >= 0 {
            let last = laterVerdicts[Int(index)]
            guard event.follows(last.event, record.receivedAt, last.receivedAt) else { return }
            later.follow(last.risk, since: last.since)
            later.hasChanged = later.hasChanged || last.hasChanged
            later.wasExcluded = later.wasExcluded || last.wasExcluded
            laterVerdicts[Int(index)] = later
            return
        }
        if newest >= 0 {
            let last = points[Int(newest)]
            guard event.follows(last.event, record.receivedAt, last.receivedAt) else { return }
            later.follow(last.risk, since: last.event)
        } else if known[driver].generation == generation {
            guard known[driver].event != nil, !known[driver].risk.hasSameFlags(as: risk) else { return }
            // Looks up the driver again: expired keys must not be recreated without a position.
            known[driver].generation = 0
        }
        touch(driver, generation)
        laterVerdicts.append(later)
        known[driver].later = Int32(laterVerdicts.count - 1)
    }

    private mutating func touch(_ driver: Int, _ generation: UInt32) {
        guard known[driver].newest < 0, known[driver].later < 0 else { return }
        touched.append(driver)
        known[driver].batchGeneration = generation
        if known[driver].generation != generation { unknown.append(driver) }
    }

    /// Adds the two commands that read a driver's hash and check the type of the trail.
    mutating func addLookup(of driver: Int, to commands: inout RedisCommands) {
        commands.begin("HMGET", arguments: 1 + Self.cachedFields.count)
        commands.add(prefix, "driver:", table.key(at: driver).buffer)
        for field in Self.cachedFields { commands.add(field) }
        // No-op that fails if the key is not a list. Inside the transaction, other commands would still be executed.
        commands.begin("LTRIM", arguments: 3)
        commands.add(prefix, "driver:", table.key(at: driver).buffer, ":trail")
        commands.add("0")
        commands.add("-1")
    }

    /// Caches the first reply to ``addLookup(of:to:)``; `starts` are indexed by generation.
    mutating func cache(_ reply: RedisReply, of driver: Int, _ starts: [UInt32: PartitionStart]) {
        let fields = reply.elements
        var cached = CachedDriver(
            newest: known[driver].newest, later: known[driver].later, batchGeneration: known[driver].batchGeneration)
        cached.generation = cached.batchGeneration
        if case .bytes(let area)? = fields.first { cached.area = GeoArea(area) }
        if fields.count > 5 {
            cached.risk = DriverRisk(risk: fields[3].text, isFlagged: fields[4].text, isSuspect: fields[5].text)
        }
        if fields.count > 2, let event = fields[1].text.flatMap({ EventID($0) }), let received = fields[2].integer {
            // Partition -1 makes receipt times decide, because ids of recreated topics are not comparable.
            let isForeign = starts[cached.generation]?.isBefore(event) ?? false
            cached.event = isForeign ? EventID(origin: event.origin, partition: -1, offset: event.offset) : event
            cached.receivedAt = Timestamp(milliseconds: received)
        }
        known[driver] = cached
    }

    /// Adds the commands that write a driver.
    ///
    /// - Returns: the number of positions written, and skipped as duplicate or outdated.
    mutating func addCommands(
        of driver: Int, now: Int64, to commands: inout RedisCommands
    ) -> (written: Int, repeated: Int) {
        collectTrail(of: driver)
        let id = table.key(at: driver).buffer
        guard let newest = trail.first.map({ points[Int($0)] }) else {
            if let later = changedFlags(of: driver) {
                addRisk(later, of: driver, id: id, to: &commands)
            }
            return (0, known[driver].newest < 0 ? 0 : 1)
        }
        let later = later(of: driver)
        let area = area(of: driver, at: newest)
        addHash(newest, later, area, id: id, to: &commands)

        commands.begin("LPUSH", arguments: 1 + trail.count)
        commands.add(prefix, "driver:", id, ":trail")
        for index in trail.reversed() { points[Int(index)].addTrailElement(to: &commands) }
        commands.begin("LTRIM", arguments: 3)
        commands.add(prefix, "driver:", id, ":trail")
        commands.add("0")
        commands.add(Int64(configuration.trailLength - 1))

        if isRenewalDue(of: driver, now: now) {
            commands.addExpiry(prefix, "driver:", id, after: configuration.driverLifetime)
            commands.addExpiry(prefix, "driver:", id, ":trail", after: configuration.driverLifetime)
        }
        if known[driver].area != area { remove(id, from: known[driver].area, in: &commands) }
        if area != .none {
            let score = GeoScore.score(of: newest.coordinate)
            placements.append(Placement(area: area, driver: Int32(driver), score: score))
        }
        return (1, 0)
    }

    /// Updates the cache as if the commands were executed; if they fail, a new generation starts.
    mutating func commit(now: Int64) {
        for driver in touched {
            guard known[driver].newest >= 0, isNew(points[Int(known[driver].newest)], to: driver) else {
                guard let later = changedFlags(of: driver) else { continue }
                known[driver].risk = later.risk
                if later.wasExcluded { known[driver].area = .none }
                continue
            }
            let newest = points[Int(known[driver].newest)]
            known[driver].event = newest.event
            known[driver].receivedAt = newest.receivedAt
            known[driver].risk = later(of: driver)?.risk ?? newest.risk
            known[driver].area = area(of: driver, at: newest)
            if isRenewalDue(of: driver, now: now) { known[driver].renewedAt = now }
        }
    }

    private func isRenewalDue(of driver: Int, now: Int64) -> Bool {
        now &- configuration.lifetimeSlack.wholeMilliseconds >= known[driver].renewedAt
    }

    /// Collects the driver's points that Redis lacks, newest first, up to the length of a trail.
    private mutating func collectTrail(of driver: Int) {
        trail.removeAll(keepingCapacity: true)
        var index = known[driver].newest
        while index >= 0, trail.count < configuration.trailLength {
            let point = points[Int(index)]
            guard isNew(point, to: driver) else { return }
            trail.append(index)
            index = point.previous
        }
    }

    /// Returns the area of the driver's geo set; ``GeoArea/none`` for drivers excluded from the nearest-driver sets.
    private func area(of driver: Int, at point: DriverPoint) -> GeoArea {
        let isExcluded =
            later(of: driver)?.wasExcluded == true || point.risk.isExcluded(from: configuration.nearestDrivers)
        return isExcluded ? .none : GeoArea(point.coordinate)
    }

    private func later(of driver: Int) -> LaterVerdicts? {
        known[driver].later < 0 ? nil : laterVerdicts[Int(known[driver].later)]
    }

    /// Returns the later verdicts if they change the driver's flags in Redis; `nil` without a stored position.
    private func changedFlags(of driver: Int) -> LaterVerdicts? {
        guard let later = later(of: driver), let event = known[driver].event,
            later.event.follows(event, later.receivedAt, known[driver].receivedAt)
        else { return nil }
        let leavesArea = later.wasExcluded && known[driver].area != .none
        return leavesArea || later.hasChanged || !later.risk.hasSameFlags(as: known[driver].risk) ? later : nil
    }

    private func isNew(_ point: DriverPoint, to driver: Int) -> Bool {
        guard let event = known[driver].event else { return true }
        return point.event.follows(event, point.receivedAt, known[driver].receivedAt)
    }

    private func addHash(
        _ point: DriverPoint, _ later: LaterVerdicts?, _ area: GeoArea, id: UnsafeRawBufferPointer,
        to commands: inout RedisCommands
    ) {
        // Unknown values are written as empty texts, because an omitted field would keep its previous value.
        commands.begin("HSET", arguments: 25 + DriverRisk.fieldArguments)
        commands.add(prefix, "driver:", id)
        commands.add("lat")
        commands.add(point.coordinate.latitude, decimals: 6)
        commands.add("lon")
        commands.add(point.coordinate.longitude, decimals: 6)
        commands.add("heading")
        if let heading = point.headingDegrees { commands.add(heading, decimals: 1) } else { commands.add("") }
        commands.add("speed_mps")
        commands.add(point.speedMetersPerSecond, decimals: 2)
        commands.add("accuracy_meters")
        commands.add(point.accuracyMeters, decimals: 1)
        commands.add("confidence")
        commands.add(point.confidence.code)
        commands.add("fixed_at")
        commands.add(point.fixedAt.milliseconds)
        commands.add("received_at")
        commands.add(point.receivedAt.milliseconds)
        commands.add("event_id")
        commands.add(point.event)
        commands.add("trip_id")
        commands.add(tripIDs.slice(point.trip))
        commands.add("is_halted")
        commands.add(point.isHalted ? "1" : "0")
        commands.add("area")
        area.withBytes { commands.add($0) }
        (later?.risk ?? point.risk).addFields(event: later?.since ?? point.event, to: &commands)
    }

    /// Updates the risk in a driver's hash, and removes an excluded driver from the geo set; the position stays.
    private func addRisk(
        _ later: LaterVerdicts, of driver: Int, id: UnsafeRawBufferPointer, to commands: inout RedisCommands
    ) {
        commands.begin("HSET", arguments: 1 + DriverRisk.fieldArguments + (later.wasExcluded ? 2 : 0))
        commands.add(prefix, "driver:", id)
        later.risk.addFields(event: later.since, to: &commands)
        if later.wasExcluded {
            commands.add("area")
            commands.add("")
        }
        // If the key expired after the lookup, HSET has created it without a lifetime.
        commands.addExpiry(prefix, "driver:", id, after: configuration.driverLifetime)
        if later.wasExcluded { remove(id, from: known[driver].area, in: &commands) }
    }
}

extension DriverBatch {
    private func remove(_ id: UnsafeRawBufferPointer, from area: GeoArea, in commands: inout RedisCommands) {
        guard area != .none else { return }
        commands.begin("ZREM", arguments: 2)
        area.withBytes { commands.add(prefix, "drivers:geo:", $0) }
        commands.add(id)
    }

    /// Maximum placements per `ZADD`.
    private static let commandSize = 500

    /// Adds the commands that write the ``placements``, by area, and the list of areas.
    mutating func addPlacements(to commands: inout RedisCommands) {
        placements.sort { $0.area.code < $1.area.code }
        var start = 0
        while start < placements.count {
            let area = placements[start].area
            var end = start
            while end < placements.count, end - start < Self.commandSize, placements[end].area == area { end += 1 }
            area.withBytes { area in
                commands.begin("SADD", arguments: 2)
                commands.add(prefix, "drivers:areas", UnsafeRawBufferPointer(start: nil, count: 0))
                commands.add(area)
                commands.begin("ZADD", arguments: 1 + 2 * (end - start))
                commands.add(prefix, "drivers:geo:", area)
            }
            for placement in placements[start..<end] {
                commands.add(placement.score)
                commands.add(table.key(at: Int(placement.driver)).buffer)
            }
            start = end
        }
    }
}
