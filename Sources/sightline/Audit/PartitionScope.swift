import Domain

/// The source records of a partition that the audit covers.
///
/// Use on one thread only.
final class PartitionScope {
    let partition: Int32
    /// Start of the audited run; `nil` if everything is audited.
    let since: TopicOffsets?
    /// Offsets of the first raw record and the first trip message whose results are compared.
    let firstRaw: Int64
    let firstTrip: Int64
    /// Offsets up to which the workers had processed both topics before the audit started to read.
    private let settledRaw: Int64
    private let settledTrips: Int64
    private let endsNow: () throws -> (raw: Int64, trips: Int64)
    /// The last known ends of the raw topic and of trips.
    private var ends: (raw: Int64, trips: Int64) = (0, 0)

    /// Creates a scope; `endsNow` returns the current ends of both topics, for events beyond the known ends.
    init(
        partition: Int32, since: TopicOffsets? = nil, firstRaw: Int64, firstTrip: Int64, settledRaw: Int64,
        settledTrips: Int64, endsNow: @escaping () throws -> (raw: Int64, trips: Int64)
    ) {
        self.partition = partition
        self.since = since
        (self.firstRaw, self.firstTrip) = (firstRaw, firstTrip)
        (self.settledRaw, self.settledTrips) = (settledRaw, settledTrips)
        self.endsNow = endsNow
    }

    /// Returns whether the source record of an event is in scope.
    func contains(_ event: EventID) -> Bool { event.offset >= (event.origin == .raw ? firstRaw : firstTrip) }

    /// Returns whether the source record of an event may have arrived during the audit.
    func mayBeNew(_ event: EventID) throws -> Bool {
        guard event.offset >= (event.origin == .raw ? settledRaw : settledTrips) else { return false }
        func exists() -> Bool { event.offset < (event.origin == .raw ? ends.raw : ends.trips) }
        if !exists() { ends = try endsNow() }
        return exists()
    }
}
