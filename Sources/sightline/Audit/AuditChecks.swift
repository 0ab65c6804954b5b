/// The checks of an audit, with their results.
struct AuditChecks {
    let caughtUp: AuditCheck
    let verdicts: AuditCheck
    let deadLetters: AuditCheck
    let warnings: AuditCheck
    let etas: AuditCheck
    let updates: AuditCheck
    let updateSources: AuditCheck
    let history: AuditCheck
    let smoothed: AuditCheck
    let historyWarnings: AuditCheck
    let historyTrips: AuditCheck
    let drivers: AuditCheck
    let channels: AuditCheck

    /// Creates the checks, with up to `examples` each; `countsRepeats`: whether a repeated record is a difference.
    init(examples: Int = 10, countsRepeats: Bool = false) {
        func check(_ name: String, _ rule: String) -> AuditCheck {
            AuditCheck(name, rule, exampleLimit: examples, countsRepeats: countsRepeats)
        }
        caughtUp = check("caught-up", "every worker has reached the end that its input had when the audit started")
        verdicts = check("verdicts", "driver.locations equals, byte for byte, the raw topic processed again")
        deadLetters = check(
            "dead-letters", "driver.locations.dead-letter equals, byte for byte, the raw topic processed again")
        warnings = check("warnings", "driver.warnings equals, byte for byte, the raw topic processed again")
        etas = check(
            "etas",
            "every record of trip.etas comes from a punctuation, a trip message, or an unflagged verdict with a "
                + "position; no such verdict of the trip's driver is skipped, and every delay is the arrival minus the "
                + "timetable")
        updates = check("rider-updates", "rider.updates equals, byte for byte, trip.etas processed again")
        updateSources = check(
            "rider-sources", "every rider update comes from an unflagged position, a punctuation or a trip message")
        history = check("history", "location_history has exactly one row per verdict, with its values")
        smoothed = check(
            "history-smoothed", "smoothed_locations has exactly one row per smoothed fix, with its values")
        historyWarnings = check("history-warnings", "location_warnings has exactly one row per warning")
        historyTrips = check("history-trips", "trip_events has exactly one row per change of a trip in trip.etas")
        drivers = check(
            "redis", "Redis contains the last position, risk and flag of every driver, and no other driver")
        channels = check(
            "redis-trips", "Redis contains the last rider update of every trip, and of every route from every partition"
        )
    }

    /// Returns the checks in the order of the report; those of a store only if it is audited.
    func all(hasHistory: Bool = false, hasRedis: Bool = false) -> [AuditCheck] {
        [caughtUp, verdicts, deadLetters, warnings, etas, updates, updateSources]
            + (hasHistory ? [history, smoothed, historyWarnings, historyTrips] : [])
            + (hasRedis ? [drivers, channels] : [])
    }

    /// Adds the workers that did not reach the end of their input in time.
    ///
    /// `partitions`: the number of input partitions checked, summed over all workers.
    func add(_ laggards: [CatchUp.Laggard], of partitions: Int) {
        caughtUp.compared += partitions
        for laggard in laggards {
            caughtUp.add(
                AuditDifference(
                    kind: .behind, partition: laggard.partition,
                    what: "\(laggard.worker) has not processed \(laggard.records) records of \(laggard.topic)"))
        }
    }
}
