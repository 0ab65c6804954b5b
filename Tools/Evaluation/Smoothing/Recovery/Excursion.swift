/// A while in which a phone is off by far more than usual, and at whose end it is right again at once.
package struct Excursion: Sendable, Equatable {
    package enum Kind: Sendable {
        /// Off by more and more, as phones are that go on without satellites.
        case drift
        /// Off by as much all the time.
        case leap
    }

    package var kind: Kind
    /// Off from here on, in seconds since the drive's beginning.
    package var beginSeconds: Double
    /// Right again from here on: a fix at this instant is.
    package var endSeconds: Double
    /// Off by this much at the end, in metres.
    package var east: Double
    package var north: Double

    /// Length of ``east`` and ``north``, in metres.
    package var meters: Double { (east * east + north * north).squareRoot() }

    /// The share of the excursion's length by which the phone is off, 0 to 1.
    func share(atSeconds seconds: Double) -> Double {
        guard seconds >= beginSeconds, seconds < endSeconds else { return 0 }
        return kind == .leap ? 1 : (seconds - beginSeconds) / (endSeconds - beginSeconds)
    }

    /// By how much ``share(atSeconds:)`` grows, per second.
    func sharePerSecond(atSeconds seconds: Double) -> Double {
        guard kind == .drift, seconds >= beginSeconds, seconds < endSeconds else { return 0 }
        return 1 / (endSeconds - beginSeconds)
    }
}
