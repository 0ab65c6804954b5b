import Model
import Simulation
import Support

/// Whether those who cheat are noticed, and those who do not are left alone.
struct SpoofingScore: Sendable {
    /// Every driver of the fleet counts as one of: a cheater, a brief cheater, honest, silent.
    struct Result: Equatable {
        /// Drivers who cheated long enough to be noticed; see ``CheatKind/fixesNeeded``.
        var cheaters = 0
        /// Those of them who got a warning or a rejection of a fitting code inside a window of theirs.
        var caught = 0
        /// Drivers who cheated too little in the run to be noticed, or not at all yet.
        var briefCheaters = 0
        /// Drivers who never cheat and from whom a location was seen.
        var honest = 0
        /// Those of them who had a fix rejected as forged, or were flagged.
        var honestRejected = 0
        /// Their devices as truth files name them, with the number of drivers.
        var rejectedDevices: [String: Int] = [:]
        /// Drivers from whom no location was seen.
        var silent = 0

        var drivers: Int { cheaters + briefCheaters + honest + silent }
    }

    private struct Sign {
        var reasons: Reasons
        var at: Timestamp
    }

    /// Codes that accuse a driver; others are about quality, order and rate.
    static let accusations: Reasons = [
        .sequenceReplay, .impossibleSpeed, .teleportation, .mockLocation, .deviceIntegrity, .accuracyAnomaly,
        .replayedTrack, .kinematicAnomaly, .suspect,
    ]
    /// How long after a window its last fixes may still arrive and be judged, in seconds.
    private static let graceSeconds = 3.0

    private var kinds: [String: CheatKind?] = [:]
    private var signs: [String: [Sign]] = [:]
    /// Drivers with a fix that was rejected as forged, or hidden from riders by a flag.
    private var rejected: Set<String> = []
    /// Rejected fixes of honest drivers, by reasons.
    private(set) var honestLosses: [Reasons: Int] = [:]

    /// Tells who cheats how; only these drivers count.
    mutating func expect(_ drivers: [DriverTruth]) {
        for driver in drivers { kinds[driver.driverID] = .some(driver.cheat) }
    }

    func isCheater(_ driverID: String) -> Bool { kinds[driverID].flatMap { $0 } != nil }

    /// Counts a driver as accused whose fixes are hidden from riders.
    mutating func noteFlag(of driverID: String) { rejected.insert(driverID) }

    mutating func noteRejection(of driverID: String, reasons: Reasons, at: Timestamp) {
        if case .some(.none) = kinds[driverID] { honestLosses[reasons, default: 0] += 1 }
        guard !reasons.isDisjoint(with: Self.accusations) else { return }
        note(driverID, reasons, at)
        rejected.insert(driverID)
    }

    mutating func noteWarning(of driverID: String, reason: Reasons, at: Timestamp) { note(driverID, reason, at) }

    private mutating func note(_ driverID: String, _ reasons: Reasons, _ at: Timestamp) {
        guard case .some(.some(let kind)) = kinds[driverID], !reasons.isDisjoint(with: kind.fittingReasons) else {
            return
        }
        signs[driverID, default: []].append(Sign(reasons: reasons, at: at))
    }

    /// The score, given the windows as they turned out; `nil` where nothing is known of the drivers.
    func result(_ drivers: [DriverTruth], seen: Set<String>) -> Result? {
        guard !drivers.isEmpty else { return nil }
        var result = Result()
        for driver in drivers {
            guard seen.contains(driver.driverID) else {
                result.silent += 1
                continue
            }
            guard let kind = driver.cheat else {
                result.honest += 1
                if rejected.contains(driver.driverID) {
                    result.honestRejected += 1
                    result.rejectedDevices[driver.device, default: 0] += 1
                }
                continue
            }
            guard driver.windows.contains(where: { $0.forgedFixes >= kind.fixesNeeded }) else {
                result.briefCheaters += 1
                continue
            }
            result.cheaters += 1
            let isCaught = (signs[driver.driverID] ?? []).contains { sign in
                driver.windows.contains { window in
                    sign.at >= window.from
                        && window.to.map { sign.at <= $0.advanced(bySeconds: Self.graceSeconds) } ?? true
                }
            }
            if isCaught { result.caught += 1 }
        }
        return result
    }
}

extension DriverTruth {
    /// The variant of the device, or its receiver where the device is a usual one.
    fileprivate var device: String {
        variant == .usual ? receiver == .phone ? "phone" : "raw_receiver" : variant.rawValue
    }
}
