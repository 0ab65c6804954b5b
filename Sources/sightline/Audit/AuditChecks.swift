/// The comparisons of an audit that need the topics alone.
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
        caughtUp = check("caught-up", "every worker has come to where its input ended when the audit looked")
        verdicts = check("verdicts", "driver.locations is, byte for byte, what the raw topic judged again gives")
        deadLetters = check(
            "dead-letters", "driver.locations.dead-letter is, byte for byte, what the raw topic judged again gives")
        warnings = check("warnings", "driver.warnings is, byte for byte, what the raw topic judged again gives")
        etas = check(
            "etas",
            "trip.etas comes from accepted verdicts of the trip's driver, without gaps, from punctuations and trip messages, and "
                + "every delay is the arrival less the timetable")
        updates = check("rider-updates", "rider.updates is, byte for byte, what trip.etas broadcast again gives")
        updateSources = check(
            "rider-sources",
            "every rider update comes from an accepted verdict, a punctuation after one or a trip message")
    }

    /// In the order of the report.
    var all: [AuditCheck] { [caughtUp, verdicts, deadLetters, warnings, etas, updates, updateSources] }

    /// Notes who had not read their input to the end when the time was up.
    ///
    /// `partitions`: how many partitions of topics were looked at.
    func note(_ laggards: [CatchUp.Laggard], of partitions: Int) {
        caughtUp.compared += partitions
        for laggard in laggards {
            caughtUp.note(
                AuditDifference(
                    kind: .behind, partition: laggard.partition,
                    what: "\(laggard.worker) has \(laggard.records) records of \(laggard.topic) left"))
        }
    }
}
