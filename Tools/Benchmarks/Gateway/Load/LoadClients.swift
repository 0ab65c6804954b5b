import Foundation
import NIOCore
import NIOPosix
import Recordings
import SightlineCLI

/// The clients of a load: each watches one channel over a WebSocket of its own.
final class LoadClients {
    private let group: MultiThreadedEventLoopGroup
    private let loops: [LoadLoop]
    private let stop: StopSignal
    let count: Int

    /// Begins to open sockets, one for each of `channels`; a channel may be named several times.
    ///
    /// Half of the machine's cores serve them: the others are for what is measured.
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

    /// What all clients have seen until now.
    func totals() throws -> LoadTotals {
        try loops.map { load in try load.loop.submit { load.totals }.wait() }.reduce(LoadTotals(), +)
    }

    /// How many have their subscription.
    func subscribed() throws -> Int {
        try loops.map { load in try load.loop.submit { load.totals.subscribed }.wait() }.reduce(0, +)
    }

    /// How many updates have come.
    func updates() throws -> Int {
        try loops.map { load in try load.loop.submit { load.totals.updates }.wait() }.reduce(0, +)
    }

    /// Counts from now on.
    func reset() throws {
        for load in loops { try load.loop.submit { load.totals.reset() }.wait() }
    }

    /// Waits until every client has its subscription.
    ///
    /// - Returns: how long that took, in seconds.
    /// - Throws: ``InputError`` after `seconds`.
    @discardableResult
    func waitUntilSubscribed(within seconds: Double) throws -> Double {
        let began = ContinuousClock.now
        while true {
            let passed = began.duration(to: .now) / .seconds(1)
            if try subscribed() == count { return passed }
            guard passed < seconds else {
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

    /// Waits until `count` updates have come since the last ``reset()``, for `seconds` at most.
    func waitForUpdates(_ count: Int, within seconds: Double) throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try updates() < count, ContinuousClock.now < deadline {
            try stop.check()
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Cuts all connections; comes last.
    func close() {
        for load in loops { load.loop.execute { load.close() } }
        try? group.syncShutdownGracefully()
    }
}
