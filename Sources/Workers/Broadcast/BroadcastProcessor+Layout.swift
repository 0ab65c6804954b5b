import Codec
import Domain
import Processing

extension BroadcastProcessor {
    /// Message numbers reserved for the updates of one message of an event of trip.etas.
    static let messagesPerEvent = 16

    /// Input that a restore reads, as a multiple of the memory.
    static let restoredMemories: Int64 = 2

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
