import Foundation
import TestSupport

/// Python packages that only tests need.
enum PythonPackages {
    static let path = Checkout.root.appendingPathComponent(".local/python").path
    static let hasWebSockets =
        Checkout.tool("python3") != nil && FileManager.default.fileExists(atPath: "\(path)/websockets")
}
