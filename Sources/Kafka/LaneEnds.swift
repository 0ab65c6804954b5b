/// Up to where each of several partitions is read, and how far each has been.
///
/// Asked for every record, so that partitions are found by number.
struct LaneEnds {
    private struct Lane {
        static let unknownEnd = Int64.max
        var name: KafkaLane
        /// The offset that ends the read.
        var end = unknownEnd
        /// Records read.
        var count = 0
        /// The offset after the last record read; `nil` before the first.
        var next: Int64?
        var isReached = false
    }

    /// By input and partition; `nil` where a partition is not asked for.
    private var lanes: [[Lane?]] = []
    private var left: Int

    /// `index`: the number of a topic.
    init(_ names: some Collection<KafkaLane>, index: (String) -> Int) {
        left = names.count
        for name in names {
            let input = index(name.topic)
            while lanes.count <= input { lanes.append([]) }
            while lanes[input].count <= Int(name.partition) { lanes[input].append(nil) }
            lanes[input][Int(name.partition)] = Lane(name: name)
        }
    }

    var areAllReached: Bool { left == 0 }

    /// The ends of partitions that have been read.
    var reached: [KafkaLane: Int64] {
        var ends: [KafkaLane: Int64] = [:]
        for case let lane? in lanes.joined() where lane.isReached { ends[lane.name] = lane.end }
        return ends
    }

    /// Records read of each partition, and the offset after the last one; `isReached`: whether that is all.
    var progress: [(name: KafkaLane, count: Int, next: Int64?, isReached: Bool)] {
        lanes.joined().compactMap { $0 }.map { ($0.name, $0.count, $0.next, $0.isReached) }
    }

    /// The first of the partitions that are still to be read, for an error.
    var text: String {
        let names = lanes.joined().compactMap { $0 }.filter { !$0.isReached }.map(\.name.description)
        let shown = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown
    }

    /// Whether the end is known, or of no interest any more.
    func isKnown(_ input: Int, _ lane: Int32) -> Bool { end(input, lane) != Lane.unknownEnd }

    mutating func set(_ end: Int64, _ input: Int, _ lane: Int32) { lanes[input][Int(lane)]?.end = end }

    /// Whether a record is to be read.
    func isBefore(_ offset: Int64, _ input: Int, _ lane: Int32) -> Bool { offset < end(input, lane) }

    /// Notes that a record was read, which may have been the last.
    mutating func note(_ offset: Int64, _ input: Int, _ lane: Int32) {
        lanes[input][Int(lane)]?.count += 1
        lanes[input][Int(lane)]?.next = offset + 1
        if offset + 1 >= end(input, lane) { reach(input, lane) }
    }

    /// Notes that a partition has been read.
    ///
    /// `offset`: where the broker says that the end is; what was set before unless given.
    /// - Returns: `false` when it had been read before, or was not asked for.
    @discardableResult
    mutating func reach(_ input: Int, _ lane: Int32, at offset: Int64? = nil) -> Bool {
        guard isOpen(input, lane) else { return false }
        if let offset { lanes[input][Int(lane)]?.end = offset }
        lanes[input][Int(lane)]?.isReached = true
        left -= 1
        return true
    }

    /// Forgets a partition.
    /// - Returns: `false` when it was not asked for.
    mutating func drop(_ input: Int, _ lane: Int32) -> Bool {
        guard isAsked(input, lane) else { return false }
        if isOpen(input, lane) { left -= 1 }
        lanes[input][Int(lane)] = nil
        return true
    }

    private func isAsked(_ input: Int, _ lane: Int32) -> Bool {
        input < lanes.count && Int(lane) < lanes[input].count && lanes[input][Int(lane)] != nil
    }

    private func isOpen(_ input: Int, _ lane: Int32) -> Bool {
        isAsked(input, lane) && lanes[input][Int(lane)]?.isReached == false
    }

    /// Nothing of a partition that was read, or was not asked for, lies before its end.
    private func end(_ input: Int, _ lane: Int32) -> Int64 {
        guard input < lanes.count, Int(lane) < lanes[input].count, let found = lanes[input][Int(lane)],
            !found.isReached
        else { return -1 }
        return found.end
    }
}
