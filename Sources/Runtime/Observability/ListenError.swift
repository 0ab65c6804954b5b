import Foundation
import NIOCore

/// Error of a server that cannot listen on its address; a restart without changes fails again.
package struct ListenError: Error, CustomStringConvertible {
    package let host: String
    package let port: Int
    package let portKey: String
    package let underlying: any Error

    /// Creates an error; `portKey` is the variable that sets the port.
    package init(host: String, port: Int, portKey: String, underlying: any Error) {
        self.host = host
        self.port = port
        self.portKey = portKey
        self.underlying = underlying
    }

    /// The system's error text if there is one, else the underlying error.
    private var reason: String {
        (underlying as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(underlying)"
    }

    package var description: String {
        "The program cannot listen on \(host):\(port) (\(reason)). "
            + "Set \(portKey) to a free port, or to 0 for any free port."
    }
}
