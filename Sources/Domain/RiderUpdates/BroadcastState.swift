import Support

/// Values in the updates last sent for one trip, with which the next record is compared.
package struct BroadcastState: Sendable, Equatable {
    package struct Stop: Sendable, Equatable {
        package var status = TripEta.StopStatus.unavailable
        package var delay = TripEta.Delay.unknown
        package var confidence: Confidence?
        package var arrivesAt: Timestamp?
        package var awaitsConfirmation = false
    }

    static let intervalCount = 8
    /// Number of intervals whose median is the interpolation time; a single late position has no effect.
    static let hintIntervalCount = 3

    /// Whether the end of the trip was sent, after which nothing is sent.
    package var hasEnded = false
    package var tripState: TripState?
    package var stage: TripStage?
    /// Hash of the driver id whose records are sent; `nil` before the first record.
    package var driverHash: UInt64?
    package var factsHash: UInt64?
    /// Timestamp from which the next position is due; `nil` before the first position.
    package var locationDueAt: Timestamp?
    /// Timestamp of the last position, sent or not, to distinguish new from repeated positions.
    package var fixedAt: Timestamp?
    /// Timestamp of the last sent position; older positions are never sent.
    package var sentFixedAt: Timestamp?
    /// Whether the vehicle was silent when its position was last sent.
    package var isSilent = false
    package var isStale = false
    /// The route on whose channel the vehicle is shown; `nil` for none.
    package var routeID: String?
    /// Whether the last sent vehicle position had an occupancy.
    package var hasSentOccupancy = false
    /// Last intervals between sent positions, by the positions' timestamps.
    package var intervals = InlineIntervals()
    package var etaAt: Timestamp?
    package var isEtaStale = false
    package var traffic = TripEta.Traffic.unknown
    package var stops: [Stop] = []
    /// The stop whose detected arrival was sent.
    package var detectedArrivalStopID: String?
    /// Stop and arrival of the last notification about a moved ETA; before one was sent, of the first ETA.
    package var notifiedStop: Int?
    package var notifiedArrivesAt: Timestamp?

    package init() {}

    /// Ring buffer of eight intervals in milliseconds, stored inline.
    package struct InlineIntervals: Sendable, Equatable {
        private var ring: (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0, 0, 0, 0)
        package private(set) var count: UInt8 = 0
        private var next: UInt8 = 0

        package static func == (left: InlineIntervals, right: InlineIntervals) -> Bool {
            left.ring.0 == right.ring.0 && left.ring.1 == right.ring.1 && left.ring.2 == right.ring.2
                && left.ring.3 == right.ring.3 && left.ring.4 == right.ring.4 && left.ring.5 == right.ring.5
                && left.ring.6 == right.ring.6 && left.ring.7 == right.ring.7 && left.count == right.count
                && left.next == right.next
        }

        /// Adds an interval, overwriting the oldest if the ring is full.
        package mutating func add(_ milliseconds: Int32) {
            self[Int(next)] = milliseconds
            next = (next + 1) % UInt8(BroadcastState.intervalCount)
            count = min(count + 1, UInt8(BroadcastState.intervalCount))
        }

        /// The lower median; `nil` without intervals.
        package var median: Int32? { median(ofLast: Int(count)) }

        /// Returns the lower median of up to `maximumCount` last intervals; `nil` without intervals.
        package func median(ofLast maximumCount: Int) -> Int32? {
            let count = min(Int(count), maximumCount)
            guard count > 0 else { return nil }
            let medianRank = (count - 1) / 2
            for index in 0..<count {
                let value = last(index)
                var below = 0
                var same = 0
                for other in 0..<count {
                    if last(other) < value { below += 1 } else if last(other) == value { same += 1 }
                }
                if below <= medianRank, medianRank < below + same { return value }
            }
            return nil
        }

        /// Returns the `index`-th interval from the end, from 0.
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
            // Bounds the count, because reading continues after damaged bytes.
            for index in 0..<min(Int(count), BroadcastState.intervalCount) {
                var interval = self[index]
                coder.code(compact: &interval)
                if Coder.isReading { self[index] = interval }
            }
        }
    }
}
