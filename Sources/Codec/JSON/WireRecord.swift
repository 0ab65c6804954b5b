import Model

/// A record of one of our topics, whose members are listed once for writing and reading.
protocol WireRecord {
    /// Walks over the members in the order in which they are written; `event` is the record's id.
    mutating func code<Coder: RecordCoder>(event: inout EventID, with coder: inout Coder) throws
}
