import Kafka
import Logging

/// Turns the client library's lines into log lines of the worker.
package enum WorkerLog {
    package static func handler(_ logger: Logger) -> KafkaLogHandler {
        { line in
            let level: Logger.Level =
                switch line.level {
                case .debug: .trace
                // Lines that the library marks as unimportant are for debugging it.
                case .info: .debug
                case .warning, .error: .warning
                }
            logger.log(level: level, "\(line.text)", metadata: .of([.code: "\(line.facility)"]))
        }
    }
}
