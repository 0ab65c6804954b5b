import Domain

/// The source records of a partition that the audit covers.
struct PartitionScope {
    let partition: Int32
    /// Start of the audited run; `nil` if everything is audited.
    let since: AuditStart?
    /// The first offset of the raw topic, and of trips, whose results are compared.
    let firstRaw: Int64
    let firstTrip: Int64
    /// The offset of the raw topic, and of trips, up to which workers had finished before the reading began.
    let settledRaw: Int64
    let settledTrips: Int64
    private let ends: SourceEnds

    /// `endsNow`: returns the current ends of the raw topic and of trips.
    init(
        partition: Int32, since: AuditStart? = nil, firstRaw: Int64, firstTrip: Int64, settledRaw: Int64,
        settledTrips: Int64,
        endsNow: @escaping () throws -> (raw: Int64, trips: Int64)
    ) {
        self.partition = partition
        self.since = since
        self.firstRaw = firstRaw
        self.firstTrip = firstTrip
        self.settledRaw = settledRaw
        self.settledTrips = settledTrips
        ends = SourceEnds(endsNow)
    }

    /// Whether the source record of an event is in scope.
    func contains(_ event: EventID) -> Bool { event.offset >= (event.origin == .raw ? firstRaw : firstTrip) }

    /// Whether the source record of an event may have arrived during the audit.
    func mayBeNew(_ event: EventID) throws -> Bool {
        guard event.offset >= (event.origin == .raw ? settledRaw : settledTrips) else { return false }
        return try ends.contain(event)
    }
}

/// Cached ends of a partition of the raw topic and of trips, queried again only for events beyond them.
private final class SourceEnds {
    private var known: (raw: Int64, trips: Int64) = (0, 0)
    private let query: () throws -> (raw: Int64, trips: Int64)

    init(_ query: @escaping () throws -> (raw: Int64, trips: Int64)) { self.query = query }

    /// Whether the source record of the event exists.
    func contain(_ event: EventID) throws -> Bool {
        func isKnown() -> Bool { event.offset < (event.origin == .raw ? known.raw : known.trips) }
        if isKnown() { return true }
        known = try query()
        return isKnown()
    }
}
