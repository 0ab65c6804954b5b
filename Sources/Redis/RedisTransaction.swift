/// How a `MULTI … EXEC` ended.
package enum RedisTransaction: Sendable, Equatable {
    /// All commands were run. Redis does not undo the others when one fails, so failures come one by one.
    case executed(failures: [RedisError])
    /// A watched key changed in between: nothing was done.
    case conflict
}
