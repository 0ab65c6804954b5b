import NIOCore
import Support

extension SamplingAdvice {
    /// The message `location_config`.
    var message: ByteBuffer {
        var writer = ByteWriter(capacity: 256)
        write(into: &writer)
        return ByteBuffer(bytes: writer.bytes.buffer)
    }
}
