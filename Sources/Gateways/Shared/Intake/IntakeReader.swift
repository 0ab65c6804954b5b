import Model
import Support

/// Reads the records of a topic for a ``PartitionIntake``; one per thread.
protocol IntakeReader {
    /// What clients watch; its description is the key of the records about it.
    associatedtype Name: Hashable & Sendable & CustomStringConvertible
    /// What clients get of a record.
    associatedtype Content: Sendable

    static var topic: PipelineTopic { get }

    init()

    /// What there is for clients in a record's value; `nil` where there is nothing.
    func content(of value: ByteSlice) -> Content?
}
