/// What a raw record turned out to be.
package enum RawReadResult: Sendable {
    /// Readable: ``RawRecordReader/fixes`` holds its fixes, one unless it is a batch.
    case fixes(isBatch: Bool)
    /// For the dead letters; `detail` names the field at fault, empty where it is the record as a whole.
    case unreadable(DeadLetterReason, detail: StaticString)
}
