/// Which of the times that an arrival may come at is told to riders.
///
/// Not the middle: a rider who waits half a minute is better off than one who sees the vehicle leave, and published
/// measures agree (the ETA Accuracy Benchmark lets vehicles be two to three times as late as early; California's
/// agreement counts the riders who catch theirs). And not another one with every fix: a time told stands for as long as
/// it lies in a band around what is expected by now, and moves no farther than to the band's edge.
///
/// Far ahead, where a rider plans when to leave, the band lies early. In the last minutes, where a rider looks for the
/// vehicle and each second is as wrong on either side, it lies closer to the middle.
///
/// Where the bands lie is chosen on the fitting half of the WMATA recording; docs/accuracy.md shows what other choices
/// would give.
package struct PublishedETASettings: Sendable, Equatable {
    /// Where the band lies, and where in it a first time is told.
    package struct Band: Sendable, Equatable {
        /// It begins so much of the way from the middle to the interval's lower bound before the middle.
        package var earlyShare: Double
        /// It ends so much of the way from the middle to the interval's upper bound after the middle.
        package var lateShare: Double
        /// A first time is told so much of the way to the lower bound before the middle: where it stands best.
        package var firstShare: Double

        package init(early: Double, late: Double, first: Double) {
            earlyShare = early
            lateShare = late
            firstShare = first
        }

        /// The middle itself.
        static let middle = Band(early: 0, late: 0, first: 0)

        /// Between this band and another, by a straight line: this one at 0, the other at 1.
        func blended(with other: Band, _ part: Double) -> Band {
            Band(
                early: earlyShare + part * (other.earlyShare - earlyShare),
                late: lateShare + part * (other.lateShare - lateShare),
                first: firstShare + part * (other.firstShare - firstShare))
        }

        var isPossible: Bool {
            (0...1).contains(earlyShare) && (0...1).contains(lateShare) && (0...earlyShare).contains(firstShare)
        }
    }

    /// At the stop.
    package var near = Band(early: 0.1, late: 0.05, first: 0.05)
    /// From ``farSeconds`` on; straight lines between.
    package var far: Band
    package var farSeconds = 400.0
    /// But neither begins more than this many seconds before the middle, however little is known: a rider who always
    /// waits for minutes stops believing. (On the recorded taxis and buses without a timetable it costs no accuracy.)
    package var earliestSeconds = 90.0

    /// Of a ride, which waits for its rider: the smallest errors on the fitting halves of four recordings.
    package static let ride = PublishedETASettings(far: Band(early: 0.3, late: 0.02, first: 0.1))
    /// Of a scheduled run, which leaves without its rider.
    package static let transit = PublishedETASettings(far: Band(early: 0.6, late: 0.02, first: 0.3))

    /// The middle itself, anew with every record.
    package static var middle: PublishedETASettings {
        var settings = PublishedETASettings(far: .middle)
        settings.near = .middle
        return settings
    }

    init(far: Band) { self.far = far }

    /// The band of an arrival whose middle is `seconds` ahead.
    func band(at seconds: Double) -> Band {
        near.blended(with: far, max(0, min(1, seconds / farSeconds)))
    }

    /// What is wrong with the settings, one sentence each; empty when they can be used.
    package func problems() -> [String] {
        near.isPossible && far.isPossible && farSeconds > 0 && earliestSeconds >= 0
            ? [] : ["The headline's bands lie within the interval, and its first time in the band."]
    }
}
