import Kafka
import Logging

/// Converts log lines of librdkafka.
package enum WorkerLog {
    package static func handler(_ logger: Logger) -> KafkaLogHandler {
        { line in
            let level: Logger.Level =
                switch line.level {
                case .debug: .trace
                // Only for debugging the library.
                case .info: .debug
                case .warning, .error: .warning
                }
            logger.log(level: level, "\(line.text)", metadata: .of([.code: "\(line.facility)"]))
        }
    }
}
