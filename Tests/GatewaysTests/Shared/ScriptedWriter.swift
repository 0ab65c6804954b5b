import NIOCore

@testable import Gateways

/// A connection whose writability is set by the test.
final class ScriptedWriter: SessionWriter {
    var isWritable = true
    private(set) var frames: [ByteBuffer] = []
    private(set) var pingCount = 0
    private(set) var closeCode: SocketCloseCode?

    func write(_ frame: ByteBuffer) { frames.append(frame) }
    func flush() {}
    func ping() { pingCount += 1 }
    func close(_ code: SocketCloseCode) { closeCode = code }
}
