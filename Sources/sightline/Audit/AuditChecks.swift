/// The checks of an audit that only read topics.
struct AuditChecks {
    let caughtUp: AuditCheck
    let verdicts: AuditCheck
    let deadLetters: AuditCheck
    let warnings: AuditCheck
    let etas: AuditCheck
    let updates: AuditCheck
    let updateSources: AuditCheck

    init(exampleLimit: Int, countsRepeats: Bool) {
        func check(_ name: String, _ rule: String) -> AuditCheck {
            AuditCheck(name, rule, exampleLimit: exampleLimit, countsRepeats: countsRepeats)
        }
        caughtUp = check("caught-up", "every worker has reached the end that its input had when the audit started")
        verdicts = check("verdicts", "driver.locations equals, byte for byte, the raw topic processed again")
        deadLetters = check(
            "dead-letters", "driver.locations.dead-letter equals, byte for byte, the raw topic processed again")
        warnings = check("warnings", "driver.warnings equals, byte for byte, the raw topic processed again")
        etas = check(
            "etas",
            "every record of trip.etas comes from an accepted verdict of the trip's driver, a punctuation or a trip "
                + "message, no verdict is skipped, and every delay is the arrival minus the timetable")
        updates = check("rider-updates", "rider.updates equals, byte for byte, trip.etas processed again")
        updateSources = check(
            "rider-sources",
            "every rider update comes from an accepted verdict, a punctuation or a trip message")
    }

    /// In the order of the report.
    var all: [AuditCheck] { [caughtUp, verdicts, deadLetters, warnings, etas, updates, updateSources] }

    /// Adds the workers that did not reach the end of their input in time.
    ///
    /// `partitions`: the number of partitions checked.
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
