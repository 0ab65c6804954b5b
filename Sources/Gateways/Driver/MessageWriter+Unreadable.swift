extension MessageWriter {
    /// The member `unreadable`: runs of fixes of a batch, from the first to the last of each, counted from 0.
    mutating func unreadable(_ runs: [UnreadableFixes]) {
        list("unreadable", runs) { run, text in
            var writer = MessageWriter()
            writer.number("first", Int64(run.range.lowerBound))
            writer.number("last", Int64(run.range.upperBound))
            writer.text("code", "\(run.reason.code)")
            writer.text("field", run.field.isEmpty ? nil : run.field)
            text += writer.finished
        }
    }
}
