import Processing
import Redis

extension RedisError: ClassifiedError {}

/// Why the position sink cannot go on.
struct PositionSinkError: ClassifiedError {
    var description: String
    var isRetriable: Bool
    var isFatal: Bool { !isRetriable }
}
