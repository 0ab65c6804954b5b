/// Orders fixes by sequence within a session, or else by device time and id, or else by arrival.
extension DriverState.Order {
    /// Classifies `fix` by order and marks its sequence number as seen; call ``recordDeviceTime(of:)`` if in order.
    mutating func classify(_ fix: Fix, _ settings: TrackingSettings.Order) -> SequenceOrder {
        if fix.identityHash != 0, fix.sequence == nil, !hasSequence, checkAndMarkSeen(fix) { return .duplicate }
        let session = UInt32(truncatingIfNeeded: fix.sessionHash)
        if session != 0, session != self.session, isBegun {
            if isOlder(fix), session == previousSession || fix.isCached { return .late }
            let hadSequence = hasSequence
            startOver(session: session)
            // Fixes are now recognised by their ids, beginning with this fix.
            if hadSequence, fix.sequence == nil, fix.identityHash != 0 { _ = checkAndMarkSeen(fix) }
        } else if session != 0 {
            self.session = session
        }
        guard let sequence = fix.sequence else { return classifyByDeviceTime(fix) }
        guard hasSequence else {
            if hasDevice, isOlder(fix) { return .late }
            begin(at: sequence, fix)
            return .inOrder(lostFixes: 0)
        }
        if sequence > lastSequence { return .inOrder(lostFixes: advance(to: sequence, fix, settings)) }
        return classifyBehind(sequence, fix, settings)
    }

    @inline(__always) mutating func recordDeviceTime(of fix: Fix) {
        lastContent = fix.sequence == nil ? UInt32(truncatingIfNeeded: fix.contentHash) : 0
        isBegun = true
        guard let deviceAt = fix.deviceAt else { return }
        deviceMilliseconds = deviceAt.milliseconds
        hasDevice = true
    }

    mutating func restart(at fix: Fix) {
        startOver(session: session)
        if let sequence = fix.sequence { begin(at: sequence, fix) }
    }

    private static let lowerNumberMask: UInt32 = 1 << 30 - 1

    /// Consecutive fixes with lower numbers but newer device times, up to 3; in the top bits of ``lastContent``.
    @inline(__always) var lowerNumberedFixes: Int { hasSequence ? Int(lastContent >> 30) : 0 }

    private mutating func startOver(session: UInt32) {
        let last = self.session
        let before = previousSession
        // The ids stay stored, because a restarted app sends its queue again.
        let identities = hasSequence ? IdentityMemory() : self.identities
        self = DriverState.Order()
        self.identities = identities
        self.session = session
        previousSession = last == session ? before : last
        // Two alternating devices get no repeated grace period.
        isBegun = session == before && session != 0 && session != last
    }

    /// Returns whether the id of a fix without a sequence was seen before; if not, records the id.
    private mutating func checkAndMarkSeen(_ fix: Fix) -> Bool {
        let hash = Self.shortHash(fix.identityHash)
        let isNewer = !hasDevice || (fix.deviceAt.map { $0.milliseconds > deviceMilliseconds } ?? true)
        if !isNewer, identities.contains(hash) { return true }
        identities.add(hash)
        return false
    }

    @inline(__always) private func isOlder(_ fix: Fix) -> Bool {
        guard hasDevice, let deviceAt = fix.deviceAt else { return false }
        return deviceAt.milliseconds < deviceMilliseconds
    }

    private func classifyByDeviceTime(_ fix: Fix) -> SequenceOrder {
        guard hasDevice, let deviceAt = fix.deviceAt else { return .inOrder(lostFixes: 0) }
        if deviceAt.milliseconds > deviceMilliseconds { return .inOrder(lostFixes: 0) }
        if deviceAt.milliseconds < deviceMilliseconds { return .late }
        // Several fixes of a device with one-second resolution may have the same time.
        return lastContent == UInt32(truncatingIfNeeded: fix.contentHash) ? .duplicate : .inOrder(lostFixes: 0)
    }

    /// Starts a numbering; lower sequences count as missing, because they may still arrive.
    private mutating func begin(at sequence: Int64, _ fix: Fix) {
        hasSequence = true
        lastSequence = sequence
        contents = ContentRing()
        missing = MissingSequences()
        if sequence > 0 { missing.add(from: max(0, sequence &- 1 << 30), through: sequence - 1) }
        record(fix, at: sequence)
    }

    private mutating func advance(to sequence: Int64, _ fix: Fix, _ settings: TrackingSettings.Order) -> Int {
        let (step, overflow) = sequence.subtractingReportingOverflow(lastSequence)
        let gap = overflow ? .max : step - 1
        if gap > settings.maximumCountedGap {
            begin(at: sequence, fix)
            return 0
        }
        if gap >= 8 {
            contents = ContentRing()
        } else if gap > 0 {
            for skipped in 1...gap { contents[Int((lastSequence + skipped) & 7)] = 0 }
        }
        if gap > 0 { missing.add(from: lastSequence + 1, through: sequence - 1) }
        lastSequence = sequence
        record(fix, at: sequence)
        return Int(gap)
    }

    private mutating func classifyBehind(_ sequence: Int64, _ fix: Fix, _ settings: TrackingSettings.Order)
        -> SequenceOrder
    {
        let (distance, overflow) = lastSequence.subtractingReportingOverflow(sequence)
        let isNewer = hasDevice && (fix.deviceAt.map { $0.milliseconds > deviceMilliseconds } ?? false)
        if !overflow, distance < 8 {
            let seen = SequenceMark(bits: contents[Int(sequence & 7)])
            if seen.isSeen {
                if seen.isRepeated(by: SequenceMark(of: fix)) { return .duplicate }
                if !isNewer { return .replayed }
            }
        }
        // Without a device time, only a large step back in the sequence indicates a restart.
        let isFarBack = fix.deviceAt == nil && (overflow || distance >= 2 * settings.restartSequenceBelow)
        if isRestart(sequence, overflow ? .max : distance, isNewer || isFarBack, settings)
            || isNewer && (isWrap(sequence, settings) || isNewNumbering(sequence, settings))
        {
            startOver(session: session)
            begin(at: sequence, fix)
            return .inOrder(lostFixes: 0)
        }
        if !overflow, missing.remove(sequence) {
            if distance < 8 { record(fix, at: sequence) }
            return .late
        }
        // A range of missing numbers covers only its last 65,536, so an older number may also be missing.
        if overflow || distance >= 1 << 16 { return .late }
        // The content is no longer stored; a repeated message carries its old device time.
        return isNewer ? .replayed : .duplicate
    }

    @inline(__always) private func isRestart(
        _ sequence: Int64, _ distance: Int64, _ isNewer: Bool, _ settings: TrackingSettings.Order
    ) -> Bool {
        isNewer && sequence >= 0 && sequence < settings.restartSequenceBelow
            && (sequence <= 1 || distance >= settings.restartSequenceBelow)
    }

    /// Returns whether a counter of a usual width, signed or unsigned, has wrapped around.
    private func isWrap(_ sequence: Int64, _ settings: TrackingSettings.Order) -> Bool {
        let (step, overflow) = sequence.subtractingReportingOverflow(lastSequence)
        guard !overflow else { return false }
        return [7, 8, 15, 16, 31, 32].contains { (width: Int64) in
            let values: Int64 = 1 << width
            let greatest = sequence < 0 ? values / 2 : values
            return lastSequence < greatest && sequence >= greatest - values
                && (1...settings.maximumWrapGap).contains(step &+ values)
        }
    }

    /// Counts a newer fix with a lower number; returns whether enough such fixes with ascending numbers were received.
    private mutating func isNewNumbering(_ sequence: Int64, _ settings: TrackingSettings.Order) -> Bool {
        let step = Int64((UInt32(truncatingIfNeeded: sequence) &- lastContent) & Self.lowerNumberMask)
        var count = lowerNumberedFixes
        if count > 0, step == 0 { return false }
        count = count > 0 && step <= settings.maximumCountedGap ? min(3, count + 1) : 1
        lastContent = UInt32(count) << 30 | UInt32(truncatingIfNeeded: sequence) & Self.lowerNumberMask
        return count >= settings.fixesBeforeNewNumbering
    }

    @inline(__always) private mutating func record(_ fix: Fix, at sequence: Int64) {
        contents[Int(sequence & 7)] = SequenceMark(of: fix).bits
    }

    /// Returns a 16-bit hash other than 0, because 0 marks an empty slot.
    @inline(__always) private static func shortHash(_ hash: UInt64) -> UInt16 {
        let folded = hash ^ (hash >> 32)
        return max(1, UInt16(truncatingIfNeeded: folded ^ (folded >> 16)))
    }
}

/// Order of a fix relative to earlier fixes of its driver.
enum SequenceOrder: Equatable {
    /// Newer than all earlier fixes; `lostFixes` sequence numbers were skipped.
    case inOrder(lostFixes: Int)
    /// Older than the newest fix, and not seen before.
    case late
    /// Seen before, with the same content as far as the content is known.
    case duplicate
    /// Its sequence number was used before, with other content.
    case replayed
}
