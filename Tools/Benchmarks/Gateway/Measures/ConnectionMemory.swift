import Foundation
import SightlineCLI

/// What idle connections with a subscription cost a server.
struct ConnectionMemory {
    /// For the memory of the handshakes to be given back.
    private static let settleMilliseconds = 2000
    /// For how long idle costs are measured: the gateway looks at all channels every 5 s.
    private static let idleSeconds = 5.0

    var residentBytesBefore: Double
    var residentBytes: Double
    var connections: Int
    var connectSeconds: Double
    /// Processor time per second while nothing happens.
    var idleCPU: Double

    var bytesPerConnection: Double { (residentBytes - residentBytesBefore) / Double(connections) }

    /// Connects a client to each of `channels`, and lets them be idle.
    static func measure(_ server: any PushServer, channels: [String], stop: StopSignal) throws -> ConnectionMemory {
        let before = try server.usage()
        let clients = LoadClients(server.target, channels: channels, stop: stop)
        defer { clients.close() }
        let seconds = try clients.waitUntilSubscribed(within: 120)
        stop.wait(milliseconds: settleMilliseconds)
        let begin = try server.usage()
        stop.wait(milliseconds: Int(idleSeconds * 1000))
        try stop.check()
        let end = try server.usage()
        return ConnectionMemory(
            residentBytesBefore: before.residentBytes, residentBytes: end.residentBytes, connections: channels.count,
            connectSeconds: seconds, idleCPU: (end.cpuSeconds - begin.cpuSeconds) / idleSeconds)
    }
}
