import Support

/// What kind of phone a driver has, and what its clock and network do.
struct DeviceProfile: Sendable {
    let dialect: Dialect
    /// Device clock minus true time, in seconds.
    let clockSkewSeconds: Double
    /// Standard deviation of the time stamps around that, in seconds.
    let stampJitterSeconds: Double
    /// Whether accuracies come from a short list of values, as on many phones, instead of continuously.
    let hasAccuracyLevels: Bool
    /// Half of the messages take less than this from the device to the topic, in seconds.
    let medianDelaySeconds: Double
    let reportsBattery: Bool
    /// How finely an honest device writes its coordinates; cheaters' apps write them as finely as can be.
    let rounding: CoordinateRounding

    /// The steps of phones that know only a few accuracies, in metres.
    private static let accuracyLevels = [3.0, 3.8, 4.7, 5.8, 7.2, 9, 11, 14, 18, 24, 32, 48]

    init(
        configuration: FleetConfiguration, driver: Int, isCheater: Bool, variant: DeviceVariant = .usual,
        random: inout RandomSource
    ) {
        // Only the rideshare dialect can say that a position is mocked.
        dialect = random.chance(configuration.mobileDialectShare) && !isCheater ? .mobile : .rideshare
        let isSkewed = random.chance(configuration.skewedClockShare)
        let widest = configuration.maximumClockSkewSeconds
        clockSkewSeconds = isSkewed ? random.uniform(in: -widest...widest) : random.normal() * 0.8
        stampJitterSeconds = random.chance(0.1) ? 0.2 : 0.02
        hasAccuracyLevels = random.chance(0.3)
        medianDelaySeconds = random.uniform(in: 0.04...0.15)
        reportsBattery = random.chance(0.8)
        // From a source of its own, so that all else of a seed stays as it was.
        var roundingRandom = RandomSource(seed: configuration.seed, index: UInt64(driver), purpose: 7)
        let usual = isCheater ? .sevenDigits : CoordinateRounding(random: &roundingRandom)
        rounding = variant == .coarseCoordinates ? .fourDigits : usual
    }

    /// The accuracy an honest phone reports for an error of this standard deviation along one axis.
    ///
    /// The 68 % radius of a circular normal error is 1.51 of them; phones estimate it to about 10 %.
    func accuracyMeters(axisSigmaMeters: Double, random: inout RandomSource) -> Double {
        let estimate = 1.51 * axisSigmaMeters * random.logNormal(median: 1, spread: 0.1)
        guard hasAccuracyLevels else { return max(1, (estimate * 10).rounded() / 10) }
        let nearest = Self.accuracyLevels.min { abs($0 - estimate) < abs($1 - estimate) }
        return nearest ?? estimate
    }

    func deviceTime(at time: Timestamp, random: inout RandomSource) -> Timestamp {
        let jitter = max(-0.49, min(0.49, random.normal() * stampJitterSeconds))
        return time.advanced(bySeconds: clockSkewSeconds + jitter)
    }

    /// How long one message is under way, in seconds: mostly a little, sometimes a second.
    func delaySeconds(random: inout RandomSource) -> Double {
        let usual = random.logNormal(median: medianDelaySeconds, spread: 0.35)
        return min(0.9, random.chance(0.01) ? usual + random.uniform(in: 0.1...0.6) : usual)
    }
}
