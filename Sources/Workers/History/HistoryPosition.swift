import Model

/// What the row of a partition in `sink_progress` says.
struct HistoryPosition {
    /// The next offset to write.
    var next: Int64
    /// The last events that were written.
    var clock: Watermark
    /// The last event that is not smoothed any more: the last one that was, or that came before smoothing began.
    var smoothed: EventID?
}
