import Support

/// The sending side of a driver's device: sessions, sequence numbers, what waits for the network.
struct NetworkModel: Sendable {
    /// Empty for a device that sends none.
    private(set) var sessionID: String
    private(set) var numbering: FixNumbering
    /// When the last fix was taken.
    private(set) var lastFixAt: Timestamp
    /// Records leave in order unless one is held up; none is sent before the one before it.
    var lastSentAt: Timestamp
    /// Fixes taken without network.
    var cached: [(fix: ReportedFix, truth: FixTruth)] = []
    /// When the sky was last seen.
    var skyAt: Timestamp
    /// Whether fixes kept in a tunnel are sent before the first live one, or some seconds after it.
    let sendsCachedFirst: Bool

    private let variant: DeviceVariant
    private let runTag: String
    private var sessionNumber = 1
    private var onlineIntervalSeconds: Double
    private let leastOnlineIntervalSeconds: Double

    init(
        configuration: FleetConfiguration, driver: Int, variant: DeviceVariant = .usual, random: inout RandomSource
    ) {
        self.variant = variant
        runTag = configuration.runTag
        sessionID = variant == .restartsWithoutSession ? "" : "s\(configuration.runTag)-1"
        numbering = FixNumbering(variant: variant, start: configuration.start, random: &random)
        leastOnlineIntervalSeconds =
            variant == .rareReports
            ? max(configuration.onlineIntervalSeconds, random.uniform(in: 20...300))
            : configuration.onlineIntervalSeconds
        onlineIntervalSeconds = leastOnlineIntervalSeconds
        lastFixAt = configuration.start.advanced(bySeconds: -random.uniform() * onlineIntervalSeconds)
        lastSentAt = lastFixAt
        skyAt = lastFixAt
        sendsCachedFirst = random.chance(0.5)
    }

    /// Whether it is time for the next fix.
    func isDue(at time: Timestamp, isOnTrip: Bool) -> Bool {
        (isOnTrip && variant != .rareReports) || time.seconds(since: lastFixAt) >= onlineIntervalSeconds
    }

    /// The sequence number of the fix taken at `time`.
    mutating func takeSequence(at time: Timestamp, random: inout RandomSource) -> Int64 {
        lastFixAt = time
        // A little longer than the shortest allowed, as an operating system wakes an app late, not early.
        onlineIntervalSeconds = leastOnlineIntervalSeconds * random.uniform(in: 1.0...1.04)
        return numbering.next(at: time, random: &random)
    }

    /// Now and then an app is restarted between trips: a new session counts from 0.
    mutating func maybeRestartSession(random: inout RandomSource) {
        guard random.chance(0.03), cached.isEmpty else { return }
        sessionNumber += 1
        if !sessionID.isEmpty { sessionID = "s\(runTag)-\(sessionNumber)" }
        numbering.begin()
    }

    /// When a message that needs `delaySeconds` arrives, not before those sent earlier.
    mutating func inOrder(from time: Timestamp, delaySeconds: Double) -> Timestamp {
        let arrival = time.advanced(bySeconds: delaySeconds)
        lastSentAt = max(arrival, Timestamp(milliseconds: lastSentAt.milliseconds + 1))
        return lastSentAt
    }
}
