import Support

extension ReceivedTrace {
    /// The same drive as a device measures it that takes a fix every `seconds`: it numbers those alone.
    func thinned(to seconds: Double) -> ReceivedTrace {
        var thinned = ReceivedTrace(name: name, origin: origin)
        thinned.driver = driver
        thinned.mishaps = mishaps
        var due: Timestamp?
        var sequence: Int64 = 0
        for (index, fix) in fixes.enumerated() {
            let at = takenAt(index)
            // Stamps that are early by a part of the interval keep their place; after a silence it begins anew.
            if let due, due.seconds(since: at) > seconds / 8 { continue }
            let isOnTime = due.map { at.seconds(since: $0) < seconds } ?? false
            due = (isOnTime ? due ?? at : at).advanced(bySeconds: seconds)
            sequence += 1
            var kept = fix
            if fix.sequence != nil { kept.sequence = sequence }
            if glitches.contains(index) { thinned.glitches.insert(thinned.fixes.count) }
            thinned.append(kept, receivedAt: receivedAt[index], isForged: isForged[index])
        }
        return thinned
    }
}
