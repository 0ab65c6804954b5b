/// Which of the times that an arrival may come at is told to riders.
///
/// Not the middle: a rider who waits half a minute is better off than one who sees the vehicle leave, and published
/// measures agree (the ETA Accuracy Benchmark lets vehicles be two to three times as late as early; California's
/// agreement counts the riders who catch theirs). And not another one with every fix: a time told stands for as long as
/// it lies in a band around what is expected by now, and moves no farther than to the band's edge.
///
/// Where the band lies is fitted on the fitting half of the WMATA recording: of California's minutes 79.5 % are right
/// there, 66.5 % of the vehicles are caught, and 83.5 % of the benchmark reached. Told as it is expected it would be
/// 81.4 %, 56.0 % and 78.3 %, and earlier still fewer minutes are right for each vehicle more that is caught.
package struct HeadlineSettings: Sendable, Equatable {
    /// The band begins so much of the way from the middle to the interval's lower bound before the middle.
    package var earlyShare = 0.45
    /// It ends so much of the way from the middle to the interval's upper bound after the middle.
    package var lateShare = 0.02
    /// A first time is told so much of the way to the lower bound before the middle: amid the band, where it stands
    /// best.
    package var firstShare = 0.2
    /// But neither begins more than this many seconds before the middle, however little is known: a rider who always
    /// waits for minutes stops believing. (On the recorded taxis and buses without a timetable it costs no accuracy.)
    package var earliestSeconds = 90.0

    /// The middle itself, anew with every record.
    package static var middle: HeadlineSettings {
        var settings = HeadlineSettings()
        settings.earlyShare = 0
        settings.lateShare = 0
        settings.firstShare = 0
        return settings
    }

    package init() {}

    /// What is wrong with the settings, one sentence each; empty when they can be used.
    package func problems() -> [String] {
        (0...1).contains(earlyShare) && (0...1).contains(lateShare)
            && (0...earlyShare).contains(firstShare) && earliestSeconds >= 0
            ? [] : ["The headline's band lies within the interval, and its first time in the band."]
    }
}
