import Model

/// Which source records of a partition the audit speaks of.
struct PartitionScope {
    let partition: Int32
    /// Where the run begins that the audit is of; `nil` where it is of everything that the topics hold.
    let since: AuditStart?
    /// The first offset of the raw topic, and of trips, whose outcomes are compared: still on the topics, and of the
    /// run.
    let firstRaw: Int64
    let firstTrip: Int64
    /// Up to where the raw topic, and trips, had been answered before the audit began to read.
    let settledRaw: Int64
    let settledTrips: Int64
    private let ends: SourceEnds

    /// `endsNow`: asks for the ends of the raw topic and of trips as they are now.
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

    /// Whether an event comes from a source record that the audit speaks of.
    func contains(_ event: EventID) -> Bool { event.offset >= (event.origin == .raw ? firstRaw : firstTrip) }

    /// Whether an event may have come about while the audit was reading: then nothing that was read speaks of it.
    func mayBeNew(_ event: EventID) throws -> Bool {
        guard event.offset >= (event.origin == .raw ? settledRaw : settledTrips) else { return false }
        return try ends.contain(event)
    }
}

/// The ends of a partition of the raw topic and of trips, asked for anew only for an event beyond what is known: a
/// store under live traffic tells of thousands of events that no topic read speaks of.
private final class SourceEnds {
    private var known: (raw: Int64, trips: Int64) = (0, 0)
    private let ask: () throws -> (raw: Int64, trips: Int64)

    init(_ ask: @escaping () throws -> (raw: Int64, trips: Int64)) { self.ask = ask }

    /// Whether there is a record that the event can come from.
    func contain(_ event: EventID) throws -> Bool {
        func isKnown() -> Bool { event.offset < (event.origin == .raw ? known.raw : known.trips) }
        if isKnown() { return true }
        known = try ask()
        return isKnown()
    }
}
