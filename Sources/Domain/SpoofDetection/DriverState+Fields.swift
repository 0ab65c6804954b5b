extension DriverState.Fields {
    /// Stores the fields of `fix` and returns which of them changed.
    @inline(__always) mutating func record(_ fix: Fix) -> FieldReading.Changes {
        let accuracy = Self.hash(fix.accuracyMeters)
        // Devices without altitude report exactly 0.
        let altitude = Self.hash(fix.altitudeMeters.flatMap { $0 == 0 ? nil : $0 })
        let speed = Self.hash(fix.speedMetersPerSecond)
        var changes = FieldReading.Changes()
        if accuracy != 0, accuracyHash != 0 { changes.accuracy = accuracy != accuracyHash }
        if altitude != 0, altitudeHash != 0 { changes.altitude = altitude != altitudeHash }
        if speed != 0, speedHash != 0 { changes.speed = speed != speedHash }
        let isFrozen = changes.accuracy == false && changes.altitude == false
        let isSpeedFrozen = isFrozen && changes.speed == false
        let hasFields = accuracy != 0 && altitude != 0
        fieldsRun = isFrozen ? min(fieldsRun, .max - 1) + 1 : hasFields ? 1 : 0
        speedRun = isSpeedFrozen ? min(speedRun, .max - 1) + 1 : hasFields && speed != 0 ? 1 : 0
        accuracyHash = accuracy
        altitudeHash = altitude
        speedHash = speed
        return changes
    }

    /// Learns how often the fields change, and sums missing changes; returns the changes expected of this fix.
    @inline(__always)
    mutating func learn(_ changes: FieldReading.Changes, reportsStandstill: Bool, habitFixes: Int) -> FieldReading.Due {
        let before = learnedFixes
        let isLearned = Int(before) >= habitFixes
        if learnedFixes < .max { learnedFixes += 1 }
        var due = FieldReading.Due()
        Self.observe(changes.accuracy, &accuracy, after: before, isLearned, &due)
        Self.observe(changes.altitude, &altitude, after: before, isLearned, &due)
        let others = due
        Self.observe(changes.speed, &speed, after: before, isLearned, &due)
        // A stationary vehicle reports a speed of 0 each time.
        if changes.speed == false, reportsStandstill { due = others }
        let isFrozen = changes.accuracy != true && changes.altitude != true && changes.speed != true
        expectedChanges = isFrozen && isLearned ? UInt8(min(255, Int(expectedChanges) + due.eighths)) : 0
        return due
    }

    @inline(__always) private static func observe(
        _ hasChanged: Bool?, _ habit: inout Habit, after fixes: UInt8, _ isLearned: Bool, _ due: inout FieldReading.Due
    ) {
        guard let hasChanged else {
            habit.expectedChanges = 0
            return
        }
        due.fields += 1
        due.eighths += Int(habit.eighths)
        habit.observe(hasChanged: hasChanged, after: fixes, isLearned: isLearned)
    }

    /// Returns an 8-bit hash from 1 to 255; 0 for `nil`.
    @inline(__always) static func hash(_ value: Double?) -> UInt8 {
        guard let value else { return 0 }
        let bits = value.bitPattern
        let mixed = (bits ^ (bits >> 32)) &* 0xd6e8_feb8_6659_fd93
        return max(1, UInt8(truncatingIfNeeded: mixed >> 56))
    }
}

/// Changes of a fix's fields while the vehicle moves.
struct FieldReading {
    /// Whether each field changed; `nil` if either value is missing.
    struct Changes {
        var accuracy: Bool?
        var altitude: Bool?
        var speed: Bool?
    }

    /// Changes expected of this fix, from the device's habits.
    struct Due {
        var eighths = 0
        /// Number of fields included.
        var fields = 0
    }

    var changes: Changes
    /// Expected changes; `nil` after a gap, because habits are not evaluated across gaps.
    var due: Due?
}
