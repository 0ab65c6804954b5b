import ArgumentParser

/// What can be done to a running pipeline.
enum FaultKind: String, CaseIterable, Sendable, ExpressibleByArgument {
    case kill
    case killWhileScaling = "kill-while-scaling"
    case killDuringRestore = "kill-during-restore"
    case zombie
    case terminate
    case clockJump = "clock-jump"
    case rollingUpgrade = "rolling-upgrade"
    case brokerOutage = "broker-outage"
    case brokerSilence = "broker-silence"
    case brokerRestart = "broker-restart"
    case deadLettersRefused = "dead-letters-refused"
    case outputPartitionRefused = "output-partition-refused"
    case poison
    case timestampJump = "timestamp-jump"
    case giantBatches = "giant-batches"
    case redisRestart = "redis-restart"
    case redisLoss = "redis-loss"
    case slowRedis = "slow-redis"
    case postgresRestart = "postgres-restart"
    case postgresCut = "postgres-cut"
    case postgresFull = "postgres-full"
    case postgresLocked = "postgres-locked"
    case slowPostgres = "slow-postgres"
    case postgresFailover = "postgres-failover"
    case gatewayKill = "gateway-kill"
    /// A worker dies and unreadable records arrive while one service after the other is away.
    case overlapping

    /// What follows a failover would reach the server that is not used any more.
    var comesLast: Bool { self == .postgresFailover }
}
