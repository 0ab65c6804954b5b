import Support

/// Sessions, sequence numbers and network access of a driver's device.
struct NetworkModel: Sendable {
    /// Empty if the device sends no session id.
    private(set) var sessionID: String
    private(set) var numbering: FixNumbering
    private(set) var lastFixAt: Timestamp
    /// Arrival time of the last record that was sent in order; the next such record arrives later.
    var lastSentAt: Timestamp
    /// Fixes measured without network access, oldest first.
    var cached: [(fix: ReportedFix, truth: FixGroundTruth)] = []
    /// Time of the last satellite reception.
    var lastReceptionAt: Timestamp
    /// Whether cached fixes are sent before the first live fix, or 1.2 to 4 s later.
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
        lastReceptionAt = lastFixAt
        sendsCachedFirst = random.chance(0.5)
    }

    /// Whether to measure a fix at `time`; on a trip, most devices measure one in every step.
    func isDue(at time: Timestamp, isOnTrip: Bool) -> Bool {
        (isOnTrip && variant != .rareReports) || time.seconds(since: lastFixAt) >= onlineIntervalSeconds
    }

    /// Returns the sequence number of a fix at `time`, and draws the interval to the next fix.
    mutating func nextSequence(at time: Timestamp, random: inout RandomSource) -> Int64 {
        lastFixAt = time
        // Slightly longer than the minimum, because operating systems wake apps late and not early.
        onlineIntervalSeconds = leastOnlineIntervalSeconds * random.uniform(in: 1.0...1.04)
        return numbering.next(at: time, random: &random)
    }

    /// Restarts the app with a probability of 3 % if no fixes are cached; numbers then start at 0.
    mutating func maybeRestartSession(random: inout RandomSource) {
        guard random.chance(0.03), cached.isEmpty else { return }
        sessionNumber += 1
        if !sessionID.isEmpty { sessionID = "s\(runTag)-\(sessionNumber)" }
        numbering.begin()
    }

    /// Returns the arrival time of a message that is delayed and must not overtake earlier messages.
    mutating func inOrder(from time: Timestamp, delaySeconds: Double) -> Timestamp {
        let arrival = time.advanced(bySeconds: delaySeconds)
        lastSentAt = max(arrival, Timestamp(milliseconds: lastSentAt.milliseconds + 1))
        return lastSentAt
    }
}
