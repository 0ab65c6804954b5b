import Model

extension ActiveTrip {
    /// What ``encodeProgress(into:)`` writes at most, for the progress as it is.
    package var maximumProgressByteCount: Int { progress.maximumEncodedByteCount }

    /// Writes the progress as bytes, to be carried by the record just made, and answers how many they are.
    ///
    /// About 150 bytes for a ride and under 1 KB for 40 stops. `room` holds at least ``maximumProgressByteCount``
    /// bytes.
    package func encodeProgress(into room: UnsafeMutableRawBufferPointer, as form: StateForm = .current) -> Int {
        progress.encode(into: room, plan: plan, as: form)
    }

    /// The versions of the progress that can be read; its bytes begin with theirs.
    package static var progressVersions: StateVersions { TripProgress.versions }

    /// Takes the progress back from the last record's bytes, after the trip's messages up to that record have been
    /// followed again; from then on results are those of a trip that never stopped.
    ///
    /// - Returns: `false`, having changed nothing, for damaged bytes, another version of the layout or another plan.
    @discardableResult
    package func restoreProgress(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let restored = TripProgress(bytes, plan: plan) else { return false }
        take(restored)
        return true
    }
}
