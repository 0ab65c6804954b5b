import Codec
import Model
import Processing

extension BroadcastProcessor {
    /// An event of trip.etas has message numbers of its own (two trips of one fix); each has room for this many
    /// updates.
    static let messagesPerEvent = 16

    /// How many times its memory a restore reads back.
    static let restoredMemories: Int64 = 2

    /// What the stage reads, writes and counts.
    package static func layout(memorySeconds: Double) -> ProcessorLayout {
        let memory = Int64(memorySeconds * 1000) * restoredMemories
        return ProcessorLayout(
            name: "broadcast",
            inputs: [.init(topic: PipelineTopic.tripEtas.rawValue, resume: .rewound(milliseconds: memory))],
            outputs: [.init(topic: PipelineTopic.riderUpdates.rawValue)],
            memoryMilliseconds: memory, counters: counterDefinitions)
    }

    static let counterDefinitions: [ProcessorLayout.Counter] =
        RiderUpdateType.allCases.map {
            ProcessorLayout.Counter(.riderUpdates, [(.type, "\($0.code)")])
        } + [ProcessorLayout.Counter(.recordsUnreadable, [(.stage, "broadcast")])]

    static let unreadableSlot = RiderUpdateType.allCases.count
}
