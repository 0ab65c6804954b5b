import Foundation
import NIOCore
import NIOPosix
import Recordings
import SightlineCLI

/// Clients that each subscribe to one channel over their own WebSocket.
final class LoadClients {
    private let group: MultiThreadedEventLoopGroup
    private let loops: [LoadLoop]
    private let stop: StopSignal
    let count: Int

    /// Starts to open one socket for each of `channels`, which may contain a channel several times.
    ///
    /// Uses half of the machine's cores; the other half is for the server.
    init(_ target: LoadTarget, channels: [String], stop: StopSignal) {
        self.stop = stop
        count = channels.count
        group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))
        loops = group.makeIterator().map { LoadLoop($0, target) }
        for (number, load) in loops.enumerated() {
            let own = stride(from: number, to: channels.count, by: loops.count).map { channels[$0] }
            load.loop.execute { load.open(own) }
        }
    }

    func totals() throws -> LoadTotals {
        try loops.map { load in try load.loop.submit { load.totals }.wait() }.reduce(LoadTotals(), +)
    }

    /// Sums one count over all clients.
    func sum(_ count: @Sendable @escaping (LoadTotals) -> Int) throws -> Int {
        try loops.reduce(0) { sum, load in try sum + load.loop.submit { count(load.totals) }.wait() }
    }

    /// Resets all counts except the current subscriptions.
    func reset() throws {
        for load in loops { try load.loop.submit { load.totals.reset() }.wait() }
    }

    /// Waits until every client is subscribed.
    ///
    /// - Returns: the elapsed seconds.
    /// - Throws: ``InputError`` after `seconds`.
    @discardableResult
    func waitUntilSubscribed(within seconds: Double) throws -> Double {
        let began = ContinuousClock.now
        while true {
            let elapsed = began.duration(to: .now) / .seconds(1)
            if try sum(\.subscribed) == count { return elapsed }
            guard elapsed < seconds else {
                let totals = try totals()
                throw InputError(
                    "\(totals.subscribed) of \(count) clients were subscribed after \(Int(seconds)) s; "
                        + "\(totals.failedAttempts) attempts failed, \(totals.ended) connections ended, "
                        + "\(totals.errors) errors\(totals.firstError.map { ", the first: \($0)" } ?? "").")
            }
            try stop.check()
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// Waits up to `seconds` until `count` updates have arrived since the last ``reset()``.
    func waitForUpdates(_ count: Int, within seconds: Double) throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try sum(\.updates) < count, ContinuousClock.now < deadline {
            try stop.check()
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Closes all connections; must be the last call.
    func close() {
        for load in loops { load.loop.execute { load.close() } }
        try? group.syncShutdownGracefully()
    }
}

/// Address of a server on this machine.
struct LoadTarget: Sendable {
    var port: Int
    /// Token of all clients; empty for none.
    var token: String

    /// The request that opens a WebSocket.
    var handshake: String {
        let lines = [
            "GET /realtime HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket", "Connection: Upgrade",
            // A server must accept any key.
            "Sec-WebSocket-Key: c2lnaHRsaW5lIGJlbmNobQ==", "Sec-WebSocket-Version: 13",
        ]
        let authorization = token.isEmpty ? [] : ["Authorization: Bearer \(token)"]
        return (lines + authorization).joined(separator: "\r\n") + "\r\n\r\n"
    }
}

/// Counts over all clients of a loop or a measurement.
struct LoadTotals: Sendable {
    /// Open sockets with a subscription.
    var subscribed = 0
    /// Updates received, including repeated updates.
    var updates = 0
    /// Updates received a second time, or after a later update.
    var repeated = 0
    /// Updates that were not received before a later update of their channel.
    var missing = 0
    /// Subscriptions that began with a full snapshot.
    var fullSnapshots = 0
    /// Subscriptions that resumed with the missed events.
    var resumed = 0
    var failedAttempts = 0
    var ended = 0
    /// Errors from the server, and unreadable messages.
    var errors = 0
    var firstError: String?
    /// Times from the due time of an update to its receipt.
    var latencies = LatencyHistogram()

    static func + (left: LoadTotals, right: LoadTotals) -> LoadTotals {
        var sum = left
        for count in [
            \LoadTotals.subscribed, \.updates, \.repeated, \.missing, \.fullSnapshots, \.resumed, \.failedAttempts,
            \.ended, \.errors,
        ] {
            sum[keyPath: count] += right[keyPath: count]
        }
        sum.firstError = left.firstError ?? right.firstError
        sum.latencies.add(right.latencies)
        return sum
    }

    /// Resets all counts except ``subscribed``.
    mutating func reset() {
        let subscribed = subscribed
        self = LoadTotals()
        self.subscribed = subscribed
    }

    mutating func count(error: String) {
        errors += 1
        firstError = firstError ?? error
    }
}
