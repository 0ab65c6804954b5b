import Model

/// Something that is not as the pipeline promises.
struct AuditDifference: Equatable {
    enum Kind: String, CaseIterable {
        /// It should be there and is not.
        case missing
        /// It is there more often than once.
        case doubled
        /// It is there more often than once, with other bytes.
        ///
        /// A kind of its own because other rules of another build explain a ``wrong`` record, and never this one.
        case contradicted
        /// It was written after its successors, so that readers drop it.
        case outOfOrder = "out_of_order"
        /// It is there, and differs.
        case wrong
        /// Nothing that was there can have made it.
        case foreign
        /// Something older stands in its place.
        case stale
        /// It cannot be read.
        case unreadable
        /// A worker has not come to the end of its input in time.
        case behind
    }

    var kind: Kind
    var partition: Int32
    /// The offset on the topic that ``what`` talks about; `nil` where there is no record.
    var offset: Int64?
    var event: EventID?
    /// The driver, or the channel of a rider update.
    var key = ""
    /// What was found, and what was expected.
    var what: String
}
