import Model
import Support

/// What the watchers of one trip were told last: all that the next decision depends on.
package struct BroadcastState: Sendable, Equatable {
    /// What was last said of one stop.
    package struct Stop: Sendable, Equatable {
        package var status = TripEta.StopStatus.unavailable
        package var delay = TripEta.Delay.unknown
        package var confidence: Confidence?
        package var arrivesAt: Timestamp?
        /// An increase has been seen once and waits for its confirmation.
        package var awaitsConfirmation = false

        package init() {}
    }

    /// How many intervals between positions the hint is the median of.
    static let intervalCount = 8
    /// The hint is the median of so many of them, the last: a new rhythm shows after two positions, and one that is
    /// late changes nothing.
    static let hintIntervalCount = 3

    /// The trip has ended and its end was told: nothing more is.
    package var hasEnded = false
    /// The state told last; `nil` before anything was.
    package var tripState: TripState?
    /// The stage told last.
    package var stage: TripStage?
    /// A hash of the id of the driver whose records are told; `nil` before the first.
    package var driverHash: UInt64?
    /// A hash of the facts told last.
    package var factsHash: UInt64?
    /// A new position may be told that was taken from then on; `nil` before the first.
    package var locationDueAt: Timestamp?
    /// When the position told or held back last was taken: tells a new one from a repeated one.
    package var fixedAt: Timestamp?
    /// When the position told last was taken: an older one is never told.
    package var toldFixedAt: Timestamp?
    /// The silence after that position was told.
    package var isSilent = false
    package var isStale = false
    /// The route on whose channel the vehicle was sent last; `nil` where it is on none.
    package var routeID: String?
    /// The vehicle's position sent last had an occupancy.
    package var hasSentOccupancy = false
    /// The last intervals between positions told, by the times at which they were taken, in milliseconds, in a ring.
    package var intervals = InlineIntervals()
    package var etaAt: Timestamp?
    /// The ETAs told last were flagged as stale.
    package var isEtaStale = false
    package var traffic = TripEta.Traffic.unknown
    package var stops: [Stop] = []
    /// The stop whose detected arrival was suggested.
    package var detectedArrivalStopID: String?
    /// The stop and arrival that the rider was notified of, or first told.
    package var notifiedStop: Int?
    package var notifiedArrivesAt: Timestamp?

    package init() {}

    /// A ring of eight intervals without a heap allocation.
    package struct InlineIntervals: Sendable, Equatable {
        private var ring: (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0, 0, 0, 0)
        package private(set) var count: UInt8 = 0
        private var next: UInt8 = 0

        package init() {}

        package static func == (left: InlineIntervals, right: InlineIntervals) -> Bool {
            left.ring.0 == right.ring.0 && left.ring.1 == right.ring.1 && left.ring.2 == right.ring.2
                && left.ring.3 == right.ring.3 && left.ring.4 == right.ring.4 && left.ring.5 == right.ring.5
                && left.ring.6 == right.ring.6 && left.ring.7 == right.ring.7 && left.count == right.count
                && left.next == right.next
        }

        /// Adds an interval in milliseconds, in place of the oldest once the ring is full.
        package mutating func add(_ milliseconds: Int32) {
            self[Int(next)] = milliseconds
            next = (next + 1) % UInt8(BroadcastState.intervalCount)
            count = min(count + 1, UInt8(BroadcastState.intervalCount))
        }

        /// The lower median; `nil` without intervals.
        package var median: Int32? { median(ofLast: Int(count)) }

        /// The lower median of the last `wantedCount`, or of all where there are fewer; `nil` without intervals.
        package func median(ofLast wantedCount: Int) -> Int32? {
            let count = min(Int(count), wantedCount)
            guard count > 0 else { return nil }
            let wanted = (count - 1) / 2
            for index in 0..<count {
                let value = last(index)
                var below = 0
                var same = 0
                for other in 0..<count {
                    if last(other) < value { below += 1 } else if last(other) == value { same += 1 }
                }
                if below <= wanted, wanted < below + same { return value }
            }
            return nil
        }

        /// The interval added last (0), the one before (1), and so on.
        private func last(_ index: Int) -> Int32 {
            self[(Int(next) + BroadcastState.intervalCount - 1 - index) % BroadcastState.intervalCount]
        }

        subscript(index: Int) -> Int32 {
            get { withUnsafeBytes(of: ring) { $0.load(fromByteOffset: index * 4, as: Int32.self) } }
            set {
                withUnsafeMutableBytes(of: &ring) {
                    $0.storeBytes(of: newValue, toByteOffset: index * 4, as: Int32.self)
                }
            }
        }

        mutating func code<Coder: StateCoder>(with coder: inout Coder) {
            coder.code(&count)
            coder.code(&next)
            coder.require(Int(count) <= BroadcastState.intervalCount && Int(next) < BroadcastState.intervalCount)
            // The bound is for damaged bytes, of which the rest is still gone through.
            for index in 0..<min(Int(count), BroadcastState.intervalCount) {
                var interval = self[index]
                coder.code(compact: &interval)
                if Coder.isReading { self[index] = interval }
            }
        }
    }
}
