import Domain
import Simulation
import Support

/// Numbers of detected cheaters, and of false positives among honest drivers.
struct SpoofingScore: Sendable {
    /// Numbers of drivers; each driver of the fleet is a cheater, a brief cheater, honest or silent.
    struct Result: Equatable {
        /// Drivers who cheated long enough to be detectable; see ``CheatKind/fixesNeeded``.
        var cheaters = 0
        /// Cheaters with a warning or rejection of a matching code in a time window of cheating, or up to 3 s later.
        var caught = 0
        /// Cheaters with too few forged fixes in the run to be detectable.
        var briefCheaters = 0
        /// Drivers who never cheat and sent a location.
        var honest = 0
        /// Honest drivers who were flagged, or had a fix rejected as forged.
        var honestRejected = 0
        /// ``honestRejected`` by device.
        var rejectedDevices: [String: Int] = [:]
        /// Drivers without a location.
        var silent = 0

        var drivers: Int { cheaters + briefCheaters + honest + silent }
    }

    /// Codes that indicate spoofing; other codes are about quality, order and rate.
    private static let spoofingCodes: Reasons = [
        .sequenceReplay, .impossibleSpeed, .teleportation, .mockLocation, .deviceIntegrity, .accuracyAnomaly,
        .replayedTrack, .kinematicAnomaly, .suspect,
    ]
    /// Time after a window of cheating until its last fixes have arrived, in seconds.
    private static let graceSeconds = 3.0

    /// The kind of cheating of each simulated driver; `.some(nil)` for an honest driver.
    private var kinds: [String: CheatKind?] = [:]
    /// Times of warnings and rejections that match the driver's kind of cheating.
    private var detections: [String: [Timestamp]] = [:]
    /// Drivers with a fix that was rejected as forged, or with a flag.
    private var rejected: Set<String> = []
    /// Rejected fixes of honest drivers, by reason.
    private(set) var honestLosses: [Reasons: Int] = [:]

    /// Sets the truth about drivers; only these drivers count.
    mutating func expect(_ drivers: [DriverGroundTruth]) {
        for driver in drivers { kinds[driver.driverID] = .some(driver.cheat) }
    }

    func isCheater(_ driverID: String) -> Bool { kinds[driverID].flatMap { $0 } != nil }

    mutating func addFlag(of driverID: String) { rejected.insert(driverID) }

    mutating func addRejection(of driverID: String, reasons: Reasons, at: Timestamp) {
        if case .some(.none) = kinds[driverID] { honestLosses[reasons, default: 0] += 1 }
        guard !reasons.isDisjoint(with: Self.spoofingCodes) else { return }
        addWarning(of: driverID, reason: reasons, at: at)
        rejected.insert(driverID)
    }

    mutating func addWarning(of driverID: String, reason: Reasons, at: Timestamp) {
        guard case .some(.some(let kind)) = kinds[driverID], !reason.isDisjoint(with: kind.expectedReasons) else {
            return
        }
        detections[driverID, default: []].append(at)
    }

    /// Computes the score; `nil` without drivers.
    ///
    /// `seen`: the drivers that sent a fix.
    func result(_ drivers: [DriverGroundTruth], seen: Set<String>) -> Result? {
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
            let isCaught = (detections[driver.driverID] ?? []).contains { at in
                driver.windows.contains { window in
                    at >= window.from && window.to.map { at <= $0.advanced(bySeconds: Self.graceSeconds) } ?? true
                }
            }
            if isCaught { result.caught += 1 }
        }
        return result
    }
}

extension DriverGroundTruth {
    /// The variant of the device, or the receiver of an ordinary device.
    fileprivate var device: String {
        variant == .usual ? receiver == .phone ? "phone" : "raw_receiver" : variant.rawValue
    }
}
