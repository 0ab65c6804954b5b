import Support

/// Properties of a driver's phone, its clock and its network.
struct DeviceProfile: Sendable {
    let format: DeviceFormat
    /// Device clock minus true time, in seconds.
    let clockSkewSeconds: Double
    /// Standard deviation of timestamps around the device clock, in seconds.
    let timestampJitterSeconds: Double
    /// Whether accuracies come from a short list of values, as on many phones.
    let hasAccuracyLevels: Bool
    /// Median delay of messages from the device to the topic, in seconds.
    let medianDelaySeconds: Double
    let reportsBattery: Bool
    /// Rounding of coordinates; cheaters' apps use the finest.
    let rounding: CoordinateRounding

    /// Accuracies reported by devices with ``hasAccuracyLevels``, in metres.
    private static let accuracyLevels = [3.0, 3.8, 4.7, 5.8, 7.2, 9, 11, 14, 18, 24, 32, 48]

    init(
        configuration: FleetConfiguration, driver: Int, isCheater: Bool, variant: DeviceVariant = .usual,
        random: inout RandomSource
    ) {
        // Cheaters use the rideshare format, because only that format has a mock flag.
        format = random.chance(configuration.mobileFormatShare) && !isCheater ? .mobile : .rideshare
        let isSkewed = random.chance(configuration.skewedClockShare)
        let widest = configuration.maximumClockSkewSeconds
        clockSkewSeconds = isSkewed ? random.uniform(in: -widest...widest) : random.normal() * 0.8
        timestampJitterSeconds = random.chance(0.1) ? 0.2 : 0.02
        hasAccuracyLevels = random.chance(0.3)
        medianDelaySeconds = random.uniform(in: 0.04...0.15)
        reportsBattery = random.chance(0.8)
        // A separate source, so that the rounding does not change the other values of a seed.
        var roundingRandom = RandomSource(seed: configuration.seed, index: UInt64(driver), purpose: 7)
        let usual = isCheater ? .sevenDigits : CoordinateRounding(random: &roundingRandom)
        rounding = variant == .coarseCoordinates ? .fourDigits : usual
    }

    /// Draws the accuracy that an honest phone reports for an error of this standard deviation per axis.
    ///
    /// The 68 % radius of a circular normal error is 1.51 standard deviations; phones' estimates
    /// deviate from it by about 10 %.
    func accuracyMeters(axisSigmaMeters: Double, random: inout RandomSource) -> Double {
        let estimate = 1.51 * axisSigmaMeters * random.logNormal(median: 1, spread: 0.1)
        guard hasAccuracyLevels else { return max(1, (estimate * 10).rounded() / 10) }
        let nearest = Self.accuracyLevels.min { abs($0 - estimate) < abs($1 - estimate) }
        return nearest ?? estimate
    }

    func deviceTime(at time: Timestamp, random: inout RandomSource) -> Timestamp {
        let jitter = max(-0.49, min(0.49, random.normal() * timestampJitterSeconds))
        return time.advanced(bySeconds: clockSkewSeconds + jitter)
    }

    /// Draws the delay of a message, in seconds, up to 0.9.
    func delaySeconds(random: inout RandomSource) -> Double {
        let usual = random.logNormal(median: medianDelaySeconds, spread: 0.35)
        return min(0.9, random.chance(0.01) ? usual + random.uniform(in: 0.1...0.6) : usual)
    }
}

/// Behaviour of an honest device; all variants except ``usual`` resemble faults or forgeries.
package enum DeviceVariant: String, Sendable, CaseIterable {
    case usual
    /// Rounds coordinates to four decimals, about 11 m.
    case coarseCoordinates = "coarse_coordinates"
    /// Sends a fix every 20 to 300 s, also on a trip; at least ``FleetConfiguration/onlineIntervalSeconds`` apart.
    case rareReports = "rare_reports"
    /// Sends no session id, restarts every 30 to 240 s and then numbers its fixes from 0 again.
    case restartsWithoutSession = "restarts_without_session"
    /// Repeats some records with rounded coordinates and times truncated to seconds, as in a phone's storage.
    case roundedRetries = "rounded_retries"
    /// Numbers fixes with 8 or 16 bits; half of these devices lose the fixes around each wrap.
    case wrappingCounter = "wrapping_counter"

    /// All variants except ``usual``.
    package static let unusual = allCases.filter { $0 != .usual }
}
