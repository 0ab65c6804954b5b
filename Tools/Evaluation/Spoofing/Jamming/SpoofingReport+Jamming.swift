import SightlineCLI

extension SpoofingReport {
    /// What became of the drivers of jammed quarters, or of cheaters in quarters that were not.
    package struct Jamming: Encodable, Sendable {
        package var kind: String
        /// Whether the judge knew of disturbances.
        package var judge: String
        package var towns: Int
        package var drivers: Int
        /// Shares of those drivers: with a fix rejected for a reason that accuses, suspect, flagged, and with a fix
        /// labelled as disturbed.
        package var blamedShare: Double
        package var suspectShare: Double
        package var flaggedShare: Double
        package var labelledShare: Double
        /// Share of the misplaced fixes that are believed, and of the true ones afterwards that are rejected.
        package var believedShare: Double
        package var rejectedAfterwardsShare: Double
        /// Towns with a label, and the median time from the onset to the first one, in seconds.
        package var labelledTowns: Int
        package var medianDelaySeconds: Int?

        init(_ kind: JammingKind, _ judge: String, _ tally: JammingTally) {
            let share = SpoofingReport.share
            self.kind = kind.rawValue
            self.judge = judge
            towns = tally.towns
            drivers = tally.drivers
            blamedShare = share(tally.blamed, tally.drivers)
            suspectShare = share(tally.suspects, tally.drivers)
            flaggedShare = share(tally.flagged, tally.drivers)
            labelledShare = share(tally.labelled, tally.drivers)
            believedShare = share(tally.believed, tally.misplaced)
            rejectedAfterwardsShare = share(tally.rejectedAfterwards, tally.afterwards)
            labelledTowns = tally.delays.count
            medianDelaySeconds = tally.delays.sorted().quantile(0.5)
        }
    }

    var jammingTable: TextTable {
        var table = TextTable(
            title: "Quarters whose satellite signals are jammed for four minutes, and cheaters without a jammer; "
                + "\(jamming.first?.towns ?? 0) towns of \(JammedTown.drivers) drivers",
            columns: [
                "receivers", "judge", "drivers", "blamed %", "suspect %", "flagged %", "told as disturbed %", "towns",
                "delay p50 s", "misplaced, believed %", "afterwards, rejected %",
            ])
        for row in jamming {
            table.add([
                row.kind, row.judge, "\(row.drivers)", Self.percent(row.blamedShare, 1),
                Self.percent(row.suspectShare, 1), Self.percent(row.flaggedShare, 1),
                Self.percent(row.labelledShare, 1), "\(row.labelledTowns)",
                row.medianDelaySeconds.map { "\($0)" } ?? "-", Self.percent(row.believedShare, 1),
                Self.percent(row.rejectedAfterwardsShare, 1),
            ])
        }
        return table
    }
}
