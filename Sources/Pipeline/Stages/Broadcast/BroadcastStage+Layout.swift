import Pipeline
import Tracking
import Wire

extension BroadcastStage {
    /// An event of trip.etas has message numbers of its own (two trips of one fix); each has room for this many
    /// updates.
    static let messagesPerEvent = 16

    /// How many times its memory a restore reads back.
    static let restoredMemories: Int64 = 2

    /// What the stage reads, writes and counts.
    package static func layout(memorySeconds: Double) -> StageLayout {
        let memory = Int64(memorySeconds * 1000) * restoredMemories
        return StageLayout(
            name: "broadcast",
            inputs: [.init(topic: PipelineTopic.tripEtas.rawValue, resume: .rewound(milliseconds: memory))],
            outputs: [.init(topic: PipelineTopic.riderUpdates.rawValue)],
            memoryMilliseconds: memory, counters: counterDefinitions)
    }

    static let counterDefinitions: [StageLayout.Counter] =
        RiderUpdateType.allCases.map {
            StageLayout.Counter(.riderUpdates, [(.type, "\($0.code)")])
        } + [StageLayout.Counter(.recordsUnreadable, [(.stage, "broadcast")])]

    static let unreadableSlot = RiderUpdateType.allCases.count
}
