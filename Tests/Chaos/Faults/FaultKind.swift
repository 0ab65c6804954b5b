import ArgumentParser

/// What can be done to a running pipeline.
enum FaultKind: String, CaseIterable, Sendable, ExpressibleByArgument {
    case kill
    case killWhileScaling = "kill-while-scaling"
    case killDuringRestore = "kill-during-restore"
    case zombie
    case terminate
    case clockJump = "clock-jump"
    case brokerOutage = "broker-outage"
    case brokerSilence = "broker-silence"
    case deadLettersRefused = "dead-letters-refused"
    case poison
    case redisRestart = "redis-restart"
    case redisLoss = "redis-loss"
    case slowRedis = "slow-redis"
    case postgresRestart = "postgres-restart"
    case postgresCut = "postgres-cut"
    case postgresFull = "postgres-full"
    case postgresLocked = "postgres-locked"
    case slowPostgres = "slow-postgres"
    case postgresFailover = "postgres-failover"

    /// What follows a failover would reach the server that is not used any more.
    var comesLast: Bool { self == .postgresFailover }
}
