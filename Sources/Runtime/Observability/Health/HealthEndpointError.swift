import Foundation
import NIOCore

/// The endpoint cannot listen.
///
/// Starting again without changing anything fails again.
package struct HealthEndpointError: Error, CustomStringConvertible {
    package let host: String
    package let port: Int
    package let portKey: String
    package let underlying: any Error

    init(configuration: HealthEndpoint.Configuration, underlying: any Error) {
        host = configuration.host
        port = configuration.port
        portKey = configuration.portKey
        self.underlying = underlying
    }

    /// The system's words where it refused the port.
    private var reason: String {
        (underlying as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(underlying)"
    }

    package var description: String {
        "The endpoint cannot listen on \(host):\(port) (\(reason)). "
            + "Set \(portKey) to a free port, or to 0 for any free port."
    }
}
