import CHiredis
import Glibc

// Replaces the functions of hiredis that use a socket. The parser of replies is that of hiredis.

@_cdecl("redisConnectWithTimeout")
func simulatedRedisConnect(
    _ host: UnsafePointer<CChar>?, _ port: Int32, _ timeout: timeval
) -> UnsafeMutablePointer<redisContext>? {
    let context = UnsafeMutablePointer<redisContext>.allocate(capacity: 1)
    context.initialize(to: redisContext())
    context.pointee.flags = REDIS_BLOCK
    context.pointee.fd = -1
    context.pointee.reader = redisReaderCreate()
    let process = World.running.runningProcess
    guard let socket = RedisSocket(process.world.redis, process, timeout: timeout.nanoseconds) else {
        context.fail(REDIS_ERR_IO, ECONNREFUSED)
        return context
    }
    guard socket.connect() else {
        context.fail(REDIS_ERR_IO, socket.isClosed ? ECONNREFUSED : ETIMEDOUT)
        socket.close()
        return context
    }
    context.pointee.flags |= REDIS_CONNECTED
    context.pointee.fd = SimulatedSockets.add(socket)
    return context
}

@_cdecl("redisSetTimeout")
func simulatedRedisSetTimeout(_ context: UnsafeMutablePointer<redisContext>?, _ timeout: timeval) -> Int32 {
    context?.socket?.timeout = timeout.nanoseconds
    return REDIS_OK
}

@_cdecl("redisEnableKeepAlive")
func simulatedRedisEnableKeepAlive(_ context: UnsafeMutablePointer<redisContext>?) -> Int32 { REDIS_OK }

@_cdecl("redisFree")
func simulatedRedisFree(_ context: UnsafeMutablePointer<redisContext>?) {
    guard let context else { return }
    context.socket?.close()
    SimulatedSockets.remove(context.pointee.fd)
    redisReaderFree(context.pointee.reader)
    context.deallocate()
}

@_cdecl("redisGetReply")
func simulatedRedisGetReply(
    _ context: UnsafeMutablePointer<redisContext>?, _ reply: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
    guard let context, let reply else { return REDIS_ERR }
    while true {
        reply.pointee = nil
        guard redisGetReplyFromReader(context, reply) == REDIS_OK else { return REDIS_ERR }
        if reply.pointee != nil { return REDIS_OK }
        guard context.pointee.err == 0, let socket = context.socket else { return REDIS_ERR }
        guard let bytes = socket.read() else {
            context.fail(REDIS_ERR_IO, EAGAIN)
            return REDIS_ERR
        }
        guard !bytes.isEmpty else {
            context.fail(REDIS_ERR_EOF, "Server closed the connection")
            return REDIS_ERR
        }
        bytes.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            _ = redisReaderFeed(context.pointee.reader, start, bytes.count)
        }
    }
}

extension UnsafeMutablePointer<redisContext> {
    fileprivate var socket: RedisSocket? { SimulatedSockets.socket(at: pointee.fd) as? RedisSocket }

    /// Sets the error of the connection, and `errno`, as a failed system call does.
    fileprivate func fail(_ code: Int32, _ number: Int32) {
        fail(code, String(cString: strerror(number)))
        errno = number
    }

    fileprivate func fail(_ code: Int32, _ text: String) {
        pointee.err = code
        withUnsafeMutableBytes(of: &pointee.errstr) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.copyBytes(from: text.utf8.prefix(buffer.count - 1))
        }
    }
}

extension timeval {
    fileprivate var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_usec) * 1000 }
}
