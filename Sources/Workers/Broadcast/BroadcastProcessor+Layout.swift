import Codec
import Domain
import Processing

extension BroadcastProcessor {
    /// Maximum updates per record of trip.etas: ``EventID/message`` numbers reserved for each record.
    static let messagesPerRecord = 16

    /// Stream time of input and changelog that a restore reads, as a multiple of `memorySeconds`.
    static let restoreFactor: Int64 = 2

    package static func layout(memorySeconds: Double) -> ProcessorLayout {
        let memory = Int64(memorySeconds * 1000) * restoreFactor
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
