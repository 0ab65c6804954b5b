import ArgumentParser

/// What a replay leaves of a recording as it is.
struct KeptOptions: ParsableArguments {
    @Flag(
        name: .customLong("keep-times"),
        help: "Send the times of the recording. A topic with a retention time may delete old ones at once.")
    var times = false

    @Flag(
        name: .customLong("keep-session"),
        help: "Send the session and message ids of the recording. The same ones twice are repetitions.")
    var session = false

    @Flag(
        name: .customLong("keep-positions"),
        help: "Send the positions of the recording. The same ones twice are a replayed track, which is rejected.")
    var positions = false

    var kept: ReplayPlan.Kept { ReplayPlan.Kept(times: times, session: session, positions: positions) }
}
