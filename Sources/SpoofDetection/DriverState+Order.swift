import Model

/// Ordering by sequence within a session; by device time without sequences, where ids tell what was seen; by arrival
/// without either.
extension DriverState.Order {
    /// Finds out where `fix` stands, and notes its sequence number as seen.
    ///
    /// The device time is noted separately, by ``noteDeviceTime(of:)``, once the clock is believed.
    mutating func place(_ fix: Fix, _ settings: TrackingSettings.Order) -> SequenceOrder {
        if fix.identityHash != 0, fix.sequence == nil, !hasSequence, isSeen(fix) { return .duplicate }
        let session = UInt32(truncatingIfNeeded: fix.sessionHash)
        if session != 0, session != self.session, isBegun {
            if isOlder(fix), session == previousSession || fix.isCached { return .late }
            let hadSequence = hasSequence
            startOver(session: session)
            // Ids count from the first fix without a sequence on.
            if hadSequence, fix.sequence == nil, fix.identityHash != 0 { _ = isSeen(fix) }
        } else if session != 0 {
            self.session = session
        }
        guard let sequence = fix.sequence else { return placeByDeviceTime(fix) }
        guard hasSequence else {
            if hasDevice, isOlder(fix) { return .late }
            begin(at: sequence, fix)
            return .inOrder(lostFixes: 0)
        }
        if sequence > lastSequence {
            return .inOrder(lostFixes: advance(to: sequence, fix, settings))
        }
        return placeBehind(sequence, fix, settings)
    }

    /// Notes the device time of a fix in order.
    @inline(__always)
    mutating func noteDeviceTime(of fix: Fix) {
        lastContent = fix.sequence == nil ? UInt32(truncatingIfNeeded: fix.contentHash) : 0
        isBegun = true
        guard let deviceAt = fix.deviceAt else { return }
        deviceMilliseconds = deviceAt.milliseconds
        hasDevice = true
    }

    /// Takes `fix` for the first of a new numbering.
    mutating func restart(at fix: Fix) {
        startOver(session: session)
        if let sequence = fix.sequence { begin(at: sequence, fix) }
    }

    private static let lowerNumberMask: UInt32 = 1 << 30 - 1

    /// Fixes in a row that had lower numbers than the last in order, and newer device times: three at most.
    ///
    /// Kept, with the last of those numbers, where the content is of a fix without a sequence.
    @inline(__always)
    var lowerNumberedFixes: Int { hasSequence ? Int(lastContent >> 30) : 0 }

    private mutating func startOver(session: UInt32) {
        let last = self.session
        let before = previousSession
        // An app that was started again sends its queue again.
        let identities = hasSequence ? IdentityMemory() : self.identities
        self = DriverState.Order()
        self.identities = identities
        self.session = session
        previousSession = last == session ? before : last
        // Coming back to the session before is no new session: two devices in turns do not get a grace each time.
        isBegun = session == before && session != 0 && session != last
    }

    /// Whether a fix that has an id and no sequence was seen, late or in order; notes it if not.
    ///
    /// Only a fix that is not newer than the newest can have been: a short hash must not take a new one for an old one.
    private mutating func isSeen(_ fix: Fix) -> Bool {
        let hash = Self.shortHash(fix.identityHash)
        let isNewer = !hasDevice || (fix.deviceAt.map { $0.milliseconds > deviceMilliseconds } ?? true)
        if !isNewer, identities.contains(hash) { return true }
        identities.add(hash)
        return false
    }

    @inline(__always)
    private func isOlder(_ fix: Fix) -> Bool {
        guard hasDevice, let deviceAt = fix.deviceAt else { return false }
        return deviceAt.milliseconds < deviceMilliseconds
    }

    private func placeByDeviceTime(_ fix: Fix) -> SequenceOrder {
        guard hasDevice, let deviceAt = fix.deviceAt else { return .inOrder(lostFixes: 0) }
        if deviceAt.milliseconds > deviceMilliseconds { return .inOrder(lostFixes: 0) }
        if deviceAt.milliseconds < deviceMilliseconds { return .late }
        // Devices with a resolution of a second stamp several fixes alike: content tells them from repetitions.
        return lastContent == UInt32(truncatingIfNeeded: fix.contentHash) ? .duplicate : .inOrder(lostFixes: 0)
    }

    /// Sequences below the first one seen count as missing, not as seen: they may still arrive.
    private mutating func begin(at sequence: Int64, _ fix: Fix) {
        hasSequence = true
        lastSequence = sequence
        contents = ContentRing()
        missing = MissingSequences()
        if sequence > 0 { missing.add(from: max(0, sequence &- 1 << 30), through: sequence - 1) }
        note(fix, at: sequence)
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
        note(fix, at: sequence)
        return Int(gap)
    }

    private mutating func placeBehind(_ sequence: Int64, _ fix: Fix, _ settings: TrackingSettings.Order)
        -> SequenceOrder
    {
        let (distance, overflow) = lastSequence.subtractingReportingOverflow(sequence)
        let isNewer = hasDevice && (fix.deviceAt.map { $0.milliseconds > deviceMilliseconds } ?? false)
        if !overflow, distance < 8 {
            let seen = SequenceMark(bits: contents[Int(sequence & 7)])
            if seen.isSeen {
                // A state of the previous version holds hashes of contents in place of marks.
                let isSameContent = seen.bits == Self.shortHash(fix.contentHash)
                if isSameContent || seen.isRepeated(by: SequenceMark(of: fix)) { return .duplicate }
                if !isNewer { return .replayed }
            }
        }
        // Without a device time the sequence alone has to tell a restart: by a step back that no lateness explains.
        let isFarBack = fix.deviceAt == nil && (overflow || distance >= 2 * settings.restartSequenceBelow)
        if isRestart(sequence, overflow ? .max : distance, isNewer || isFarBack, settings)
            || isNewer && (isWrap(sequence, settings) || isNewNumbering(sequence, settings))
        {
            startOver(session: session)
            begin(at: sequence, fix)
            return .inOrder(lostFixes: 0)
        }
        if !overflow, missing.take(sequence) {
            if distance < 8 { note(fix, at: sequence) }
            return .late
        }
        // Further back than ranges of missing ones are remembered, nothing tells what was seen.
        if overflow || distance >= 1 << 16 { return .late }
        // Seen so long ago that its content is forgotten: what was sent again has its old device time too.
        return isNewer ? .replayed : .duplicate
    }

    @inline(__always)
    private func isRestart(
        _ sequence: Int64, _ distance: Int64, _ isNewer: Bool, _ settings: TrackingSettings.Order
    ) -> Bool {
        isNewer && sequence >= 0 && sequence < settings.restartSequenceBelow
            && (sequence <= 1 || distance >= settings.restartSequenceBelow)
    }

    /// Whether a counter of a usual width has returned to its beginning, signed or not, with few numbers lost there.
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

    /// Counts a fix that is newer and has a lower number, and answers whether enough came with ascending numbers.
    ///
    /// A message that is sent again has its old device time, so newer times under lower numbers are an app that counts
    /// from a new beginning.
    private mutating func isNewNumbering(_ sequence: Int64, _ settings: TrackingSettings.Order) -> Bool {
        let step = Int64((UInt32(truncatingIfNeeded: sequence) &- lastContent) & Self.lowerNumberMask)
        var found = lowerNumberedFixes
        if found > 0, step == 0 { return false }
        found = found > 0 && step <= settings.maximumCountedGap ? min(3, found + 1) : 1
        lastContent = UInt32(found) << 30 | UInt32(truncatingIfNeeded: sequence) & Self.lowerNumberMask
        return found >= settings.fixesBeforeNewNumbering
    }

    @inline(__always)
    private mutating func note(_ fix: Fix, at sequence: Int64) {
        contents[Int(sequence & 7)] = SequenceMark(of: fix).bits
    }

    /// Never 0, which stands for what was not seen.
    @inline(__always)
    private static func shortHash(_ hash: UInt64) -> UInt16 {
        let folded = hash ^ (hash >> 32)
        return max(1, UInt16(truncatingIfNeeded: folded ^ (folded >> 16)))
    }
}
