import Codec
import Model
import Redis
import Support

/// The judged positions of one batch, gathered by driver, what the verdicts after them say of the driver's risk, and
/// what is known of those drivers' keys.
///
/// What is known (the area a driver was put into, the last event written, when the keys' lifetime was renewed) is
/// valid for one *epoch* of the driver's partition: as long as no other process wrote the partition in between. It only
/// saves looking the same up in Redis.
struct DriverBatch: ~Copyable {
    private struct Known {
        /// The partition's epoch in which the rest was learnt; 0 before.
        var epoch: UInt32 = 0
        var area = GeoArea.none
        var event: EventID?
        /// When the position of ``event`` was received.
        var receivedAt = Timestamp(milliseconds: 0)
        var risk = DriverRisk.unknown
        /// In the sink's monotonic milliseconds.
        var renewedAt = Int64.min
        /// The driver's newest point of the batch at hand; -1 when it has none.
        var newest: Int32 = -1
        /// What the verdicts after that say; -1 when there are none.
        var later: Int32 = -1
        /// The epoch of its partition in the batch at hand.
        var batchEpoch: UInt32 = 0
    }

    /// A driver to be put into an area's geo set.
    private struct Placement {
        var area: GeoArea
        var driver: Int32
        var score: Int64
    }

    private var table = KeyTable()
    private var known: [Known] = []
    private var points: [DriverPoint] = []
    private var laterVerdicts: [LaterVerdicts] = []
    private var arena = ByteWriter(capacity: 1 << 12)
    private var trail: [Int32] = []
    private var placements: [Placement] = []
    private let configuration: PositionSinkConfiguration
    /// Numbers of the drivers that this batch may change, in order of appearance.
    private(set) var touched: [Int] = []
    /// Those of ``touched`` whose keys have to be looked up first.
    private(set) var unknown: [Int] = []

    init(configuration: PositionSinkConfiguration) { self.configuration = configuration }

    /// Forgets the points of the last batch, and all that is known when that has grown too large.
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
        arena.removeAll()
        if table.count > configuration.rememberedKeys {
            table = KeyTable()
            known = []
        }
    }

    /// Whether `id` can be part of a key: a driver named `x:trail` would take the place of the trail of `x`.
    static func canKeep(_ id: ByteSlice) -> Bool { Identifier.isValid(id) && !id.hasSuffix(":trail") }

    /// Takes in a judged position; of each driver they come in event order, or in any where their partition changed.
    mutating func add(_ record: borrowing VerdictRecord, _ estimate: Estimate, event: EventID, epoch: UInt32) {
        let driver = number(of: record.driverID)
        touch(driver, epoch)
        let previous = known[driver].newest
        let tripStart = arena.count
        arena.append(record.tripID)
        let point = DriverPoint(
            event: event, coordinate: estimate.coordinate, headingDegrees: estimate.headingDegrees,
            speedMetersPerSecond: estimate.speedMetersPerSecond, accuracyMeters: estimate.accuracyMeters,
            confidence: estimate.confidence, isHalted: estimate.isHalted, fixedAt: record.fixedAt,
            receivedAt: record.receivedAt, risk: DriverRisk(record), trip: tripStart..<arena.count, previous: previous)
        if previous >= 0 {
            let last = points[Int(previous)]
            guard point.follows(last.event, receivedAt: last.receivedAt) else { return }
        }
        points.append(point)
        known[driver].newest = Int32(points.count - 1)
        known[driver].later = -1
    }

    /// Takes in a verdict without a position: it moves no position, but may change the driver's standing.
    mutating func addRisk(_ record: borrowing VerdictRecord, event: EventID, epoch: UInt32) {
        let driver = number(of: record.driverID)
        let risk = DriverRisk(record)
        var later = LaterVerdicts(
            event: event, receivedAt: record.receivedAt, risk: risk, since: event,
            wasLeftOut: risk.isLeftOut(of: configuration.nearestDrivers))
        let (newest, held) = (known[driver].newest, known[driver].later)
        if held >= 0 {
            let last = laterVerdicts[Int(held)]
            guard event.follows(last.event, record.receivedAt, last.receivedAt) else { return }
            later.follow(last.risk, since: last.since)
            later.hasChanged = later.hasChanged || last.hasChanged
            later.wasLeftOut = later.wasLeftOut || last.wasLeftOut
            laterVerdicts[Int(held)] = later
            return
        }
        if newest >= 0 {
            let last = points[Int(newest)]
            guard event.follows(last.event, record.receivedAt, last.receivedAt) else { return }
            later.follow(last.risk, since: last.event)
        } else if known[driver].epoch == epoch {
            guard known[driver].event != nil, !known[driver].risk.hasStanding(of: risk) else { return }
            // Looked up again: without a position the keys may have run out, and must not come back without one.
            known[driver].epoch = 0
        }
        touch(driver, epoch)
        laterVerdicts.append(later)
        known[driver].later = Int32(laterVerdicts.count - 1)
    }

    private mutating func number(of id: ByteSlice) -> Int {
        let (driver, isNew) = table.insert(id)
        if driver == known.count {
            known.append(Known())
        } else if isNew {
            known[driver] = Known()
        }
        return driver
    }

    private mutating func touch(_ driver: Int, _ epoch: UInt32) {
        guard known[driver].newest < 0, known[driver].later < 0 else { return }
        touched.append(driver)
        known[driver].batchEpoch = epoch
        if known[driver].epoch != epoch { unknown.append(driver) }
    }

    /// Asks for what has to be known of a driver's keys, and whether the trail is one; two answers.
    mutating func addLookup(of driver: Int, prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands) {
        commands.begin("HMGET", arguments: 7)
        commands.add(prefix, "driver:", table.key(at: driver).buffer)
        commands.add("area")
        commands.add("event_id")
        commands.add("received_at")
        commands.add("risk")
        commands.add("is_flagged")
        commands.add("is_suspect")
        // Changes nothing, and is refused where the key is something else: in the transaction that would come too late.
        commands.begin("LTRIM", arguments: 3)
        commands.add(prefix, "driver:", table.key(at: driver).buffer, ":trail")
        commands.add("0")
        commands.add("-1")
    }

    /// Takes the first answer to ``addLookup(of:prefix:to:)``.
    ///
    /// `starts`: by epoch.
    mutating func learn(_ reply: RedisReply, of driver: Int, _ starts: [UInt32: PartitionStart]) {
        let fields = reply.elements
        var learnt = Known(
            newest: known[driver].newest, later: known[driver].later, batchEpoch: known[driver].batchEpoch)
        learnt.epoch = learnt.batchEpoch
        if case .bytes(let area)? = fields.first { learnt.area = GeoArea(area) }
        if fields.count > 5 {
            learnt.risk = DriverRisk(risk: fields[3].text, isFlagged: fields[4].text, isSuspect: fields[5].text)
        }
        if fields.count > 2, let event = fields[1].text.flatMap({ EventID($0) }), let received = fields[2].integer {
            // Of another life of the topics, as of another partition: the receipts tell what comes later.
            let isForeign = starts[learnt.epoch]?.isBefore(event) ?? false
            learnt.event = isForeign ? EventID(origin: event.origin, partition: -1, offset: event.offset) : event
            learnt.receivedAt = Timestamp(milliseconds: received)
        }
        known[driver] = learnt
    }

    /// Writes a driver's commands.
    ///
    /// - Returns: how many positions that was, and how many were found in Redis already, or newer ones.
    mutating func addCommands(
        of driver: Int, prefix: UnsafeRawBufferPointer, now: Int64, to commands: inout RedisCommands
    ) -> (written: Int, repeated: Int) {
        gatherTrail(of: driver)
        let id = table.key(at: driver).buffer
        guard let newest = trail.first.map({ points[Int($0)] }) else {
            if let later = laterNews(of: driver) {
                addRisk(later, of: driver, id: id, prefix: prefix, to: &commands)
            }
            return (0, known[driver].newest < 0 ? 0 : 1)
        }
        let later = later(of: driver)
        let area = later?.wasLeftOut == true ? .none : newest.area(of: configuration.nearestDrivers)
        addHash(newest, later, area, id: id, prefix: prefix, to: &commands)

        commands.begin("LPUSH", arguments: 1 + trail.count)
        commands.add(prefix, "driver:", id, ":trail")
        for index in trail.reversed() { points[Int(index)].addTrailElement(to: &commands) }
        commands.begin("LTRIM", arguments: 3)
        commands.add(prefix, "driver:", id, ":trail")
        commands.add("0")
        commands.add(Int64(configuration.trailLength - 1))

        if now &- configuration.lifetimeSlack.wholeMilliseconds >= known[driver].renewedAt {
            renew(id, prefix: prefix, in: &commands)
        }
        place(driver, at: newest.coordinate, in: area, id: id, prefix: prefix, commands: &commands)
        return (1, 0)
    }

    /// Makes what was written what is known.
    ///
    /// To be called once the commands are made: where Redis does not confirm them, the sink forgets all that is known.
    mutating func commit(now: Int64) {
        for driver in touched {
            guard known[driver].newest >= 0, isNew(points[Int(known[driver].newest)], to: driver) else {
                guard let later = laterNews(of: driver) else { continue }
                known[driver].risk = later.risk
                if later.wasLeftOut { known[driver].area = .none }
                continue
            }
            let newest = points[Int(known[driver].newest)]
            let later = later(of: driver)
            known[driver].event = newest.event
            known[driver].receivedAt = newest.receivedAt
            known[driver].risk = later?.risk ?? newest.risk
            known[driver].area =
                later?.wasLeftOut == true ? .none : newest.area(of: configuration.nearestDrivers)
            if now &- configuration.lifetimeSlack.wholeMilliseconds >= known[driver].renewedAt {
                known[driver].renewedAt = now
            }
        }
    }

    /// Gathers the driver's points that are new to Redis, newest first, as many as a trail holds.
    private mutating func gatherTrail(of driver: Int) {
        trail.removeAll(keepingCapacity: true)
        var index = known[driver].newest
        while index >= 0, trail.count < configuration.trailLength {
            let point = points[Int(index)]
            guard isNew(point, to: driver) else { return }
            trail.append(index)
            index = point.previous
        }
    }

    private func later(of driver: Int) -> LaterVerdicts? {
        known[driver].later < 0 ? nil : laterVerdicts[Int(known[driver].later)]
    }

    /// What the verdicts after the driver's last position change of its standing in Redis; `nil` without a position.
    private func laterNews(of driver: Int) -> LaterVerdicts? {
        guard let later = later(of: driver), let event = known[driver].event,
            later.event.follows(event, later.receivedAt, known[driver].receivedAt)
        else { return nil }
        let leaves = later.wasLeftOut && known[driver].area != .none
        return leaves || later.hasChanged || !later.risk.hasStanding(of: known[driver].risk) ? later : nil
    }

    /// Whether the point comes after the driver's last one written.
    private func isNew(_ point: DriverPoint, to driver: Int) -> Bool {
        guard let event = known[driver].event else { return true }
        return point.follows(event, receivedAt: known[driver].receivedAt)
    }

    private func addHash(
        _ point: DriverPoint, _ later: LaterVerdicts?, _ area: GeoArea, id: UnsafeRawBufferPointer,
        prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands
    ) {
        // What is unknown is written as an empty text: a field left out would keep its last value.
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
        commands.add(arena.slice(point.trip))
        commands.add("is_halted")
        commands.add(point.isHalted ? "1" : "0")
        commands.add("area")
        area.withBytes { commands.add($0) }
        (later?.risk ?? point.risk).addFields(event: later?.since ?? point.event, to: &commands)
    }

    /// Changes what a driver's hash says of its risk, and takes one who is left out of the nearest drivers out of its
    /// area; the position stays.
    private func addRisk(
        _ later: LaterVerdicts, of driver: Int, id: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer,
        to commands: inout RedisCommands
    ) {
        commands.begin("HSET", arguments: 1 + DriverRisk.fieldArguments + (later.wasLeftOut ? 2 : 0))
        commands.add(prefix, "driver:", id)
        later.risk.addFields(event: later.since, to: &commands)
        if later.wasLeftOut {
            commands.add("area")
            commands.add("")
        }
        // The key may have run out since it was looked up, and would come back without a lifetime.
        expire(id, prefix: prefix, in: &commands)
        guard later.wasLeftOut else { return }
        remove(id, from: known[driver].area, prefix: prefix, in: &commands)
    }

    private func renew(
        _ id: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, in commands: inout RedisCommands
    ) {
        expire(id, prefix: prefix, in: &commands)
        commands.begin("PEXPIRE", arguments: 2)
        commands.add(prefix, "driver:", id, ":trail")
        commands.add(configuration.driverLifetime.wholeMilliseconds)
    }

    private func expire(
        _ id: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer, in commands: inout RedisCommands
    ) {
        commands.begin("PEXPIRE", arguments: 2)
        commands.add(prefix, "driver:", id)
        commands.add(configuration.driverLifetime.wholeMilliseconds)
    }

    /// Takes the driver out of the area they left, and notes where they are now for ``addPlaces(prefix:to:)``.
    private mutating func place(
        _ driver: Int, at coordinate: Coordinate, in area: GeoArea, id: UnsafeRawBufferPointer,
        prefix: UnsafeRawBufferPointer, commands: inout RedisCommands
    ) {
        if known[driver].area != area { remove(id, from: known[driver].area, prefix: prefix, in: &commands) }
        guard area != .none else { return }
        placements.append(Placement(area: area, driver: Int32(driver), score: GeoScore.score(of: coordinate)))
    }
}

extension DriverBatch {
    private func remove(
        _ id: UnsafeRawBufferPointer, from area: GeoArea, prefix: UnsafeRawBufferPointer,
        in commands: inout RedisCommands
    ) {
        guard area != .none else { return }
        commands.begin("ZREM", arguments: 2)
        area.withBytes { commands.add(prefix, "drivers:geo:", $0) }
        commands.add(id)
    }

    /// Drivers put into a set with one command, so that none grows without bound.
    private static let placesPerCommand = 500

    /// Writes the places of all drivers whose commands were written, area by area, and the list of those areas.
    mutating func addPlaces(prefix: UnsafeRawBufferPointer, to commands: inout RedisCommands) {
        placements.sort { $0.area.code < $1.area.code }
        var start = 0
        while start < placements.count {
            let area = placements[start].area
            var end = start
            while end < placements.count, end - start < Self.placesPerCommand, placements[end].area == area { end += 1 }
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
