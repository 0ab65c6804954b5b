/// Choice of the published arrival within the estimated interval.
///
/// The arrival is published earlier than the median, because waiting half a minute is better than missing the vehicle.
/// The arrival stays within a band around the estimate: early far ahead, near the median in the last minutes.
package struct PublishedETASettings: Sendable, Equatable {
    /// Bounds of the band, as shares of the distances from the median to the interval's bounds.
    package struct Band: Sendable, Equatable {
        /// Start of the band before the median, as a share of the distance to the lower bound.
        package var earlyShare: Double
        /// End of the band after the median, as a share of the distance to the upper bound.
        package var lateShare: Double
        /// First published arrival before the median, as a share of the distance to the lower bound.
        package var firstShare: Double

        package init(early: Double, late: Double, first: Double) {
            earlyShare = early
            lateShare = late
            firstShare = first
        }

        static let middle = Band(early: 0, late: 0, first: 0)

        /// Interpolates from this band (`part` 0) to `other` (`part` 1).
        func blended(with other: Band, _ part: Double) -> Band {
            Band(
                early: earlyShare + part * (other.earlyShare - earlyShare),
                late: lateShare + part * (other.lateShare - lateShare),
                first: firstShare + part * (other.firstShare - firstShare))
        }

        var isValid: Bool {
            (0...1).contains(earlyShare) && (0...1).contains(lateShare) && (0...earlyShare).contains(firstShare)
        }
    }

    /// The band at an ETA of 0 s.
    package var near = Band(early: 0.1, late: 0.05, first: 0.05)
    /// The band at ETAs of ``farSeconds`` or more; below, bands are interpolated.
    package var far: Band
    package var farSeconds = 400.0
    /// Maximum seconds before the median, also for wide intervals, so that riders do not regularly wait for minutes.
    package var earliestSeconds = 90.0

    /// Settings for rides, which wait for their riders; smallest errors on the fitting halves of four recordings.
    package static let ride = PublishedETASettings(far: Band(early: 0.3, late: 0.02, first: 0.1))
    /// Settings for scheduled runs, which do not wait; chosen, like ``near``, on the WMATA fitting half.
    package static let transit = PublishedETASettings(far: Band(early: 0.6, late: 0.02, first: 0.3))

    /// Settings that publish the median, updated with every record.
    package static var middle: PublishedETASettings {
        var settings = PublishedETASettings(far: .middle)
        settings.near = .middle
        return settings
    }

    init(far: Band) { self.far = far }

    /// Returns the band for a median `seconds` ahead.
    func band(at seconds: Double) -> Band { near.blended(with: far, max(0, min(1, seconds / farSeconds))) }

    package func problems() -> [String] {
        near.isValid && far.isValid && farSeconds > 0 && earliestSeconds >= 0
            ? [] : ["Band shares must be 0 to 1, first at most early, farSeconds above 0, earliestSeconds at least 0."]
    }
}
