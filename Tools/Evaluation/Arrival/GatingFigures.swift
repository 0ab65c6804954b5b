/// What gating saves, and how steady the flag is.
package struct GatingFigures: Sendable, Equatable, Codable {
    /// Records made from fixes: what a rider would be sent without gating.
    package var fixRecords = 0
    /// Records made by time passing.
    package var punctuationRecords = 0
    /// ETA messages that riders were sent.
    package var messages = 0
    /// Changes of a stop's delay flag from one known value to another.
    package var flagChanges = 0
    /// Those that came within 60 s of the one before.
    package var flagFlips = 0

    package mutating func add(_ other: GatingFigures) {
        fixRecords += other.fixRecords
        punctuationRecords += other.punctuationRecords
        messages += other.messages
        flagChanges += other.flagChanges
        flagFlips += other.flagFlips
    }

    /// Share of messages saved, against one for every fix.
    package var savedShare: Double? { fixRecords > 0 ? 1 - Double(messages) / Double(fixRecords) : nil }
}
