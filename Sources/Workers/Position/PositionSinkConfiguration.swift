import Model
import Redis

/// What the position sink keeps in Redis, and for how long.
package struct PositionSinkConfiguration: Sendable {
    package var redis: RedisConfiguration
    /// Put in front of every key, so that several environments share a Redis; default empty.
    package var keyPrefix = ""
    /// How long a driver's keys live after the last judged position; default 24 h.
    package var driverLifetime: Duration = .seconds(24 * 3600)
    /// How long a trip's keys live after its last update, which is its end, or the last sign of life; default 24 h.
    package var tripLifetime: Duration = .seconds(24 * 3600)
    /// How old a lifetime may become before a write renews it; default 10 min.
    ///
    /// Renewing with every write would be a quarter of all commands; keys live this much shorter at most.
    package var lifetimeSlack: Duration = .seconds(600)
    /// Records after which a transaction takes in no further partition; default 2,000.
    ///
    /// Small enough that Redis serves others in between, and carries out one transaction while the next is being
    /// prepared; large enough for live traffic to go into a single one.
    package var transactionRecords = 2000
    /// Which drivers are in the geo sets; default all who are not flagged.
    package var nearestDrivers = NearestDrivers.unflagged
    /// Points of a driver's trail, the newest; default 100.
    package var trailLength = 100
    /// Updates of a trip kept for reconnecting riders, approximately; default 512.
    package var streamLength = 512
    /// Silence after which a driver is taken out of nearest-driver queries; default 10 min.
    package var silentAfter: Duration = .seconds(600)
    /// Members of the geo sets that one sweep examines at most; default 50,000, well under a second of Redis' time.
    package var sweepLimit = 50_000
    /// Drivers and trips remembered in the process to save look-ups; default 2 million, about 100 bytes each.
    ///
    /// Beyond it the memory starts anew.
    package var rememberedKeys = 2_000_000

    package init(redis: RedisConfiguration) { self.redis = redis }

    /// What is wrong with the settings, one sentence each; empty when they can be used.
    package var problems: [String] {
        var problems: [String] = []
        if driverLifetime <= lifetimeSlack {
            problems.append("The lifetime of a driver's keys must be longer than the slack in renewing it.")
        }
        if tripLifetime <= lifetimeSlack {
            problems.append("The lifetime of a trip's keys must be longer than the slack in renewing it.")
        }
        if lifetimeSlack < .zero { problems.append("The slack in renewing lifetimes must not be negative.") }
        if trailLength < 1 || trailLength > 10_000 { problems.append("A trail must hold 1 to 10,000 points.") }
        if streamLength < 1 { problems.append("A trip's stream must hold at least 1 update.") }
        if silentAfter <= .zero || silentAfter > driverLifetime {
            problems.append("Drivers must count as silent after some time, and before their keys expire.")
        }
        if transactionRecords < 1 { problems.append("A transaction must take in at least 1 record.") }
        if sweepLimit < 1 { problems.append("A sweep must examine at least 1 member.") }
        if rememberedKeys < 1 { problems.append("At least 1 key must be remembered.") }
        return problems
    }
}
