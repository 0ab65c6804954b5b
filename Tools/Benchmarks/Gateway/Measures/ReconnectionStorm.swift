import Foundation
import SightlineCLI

/// A server that is killed and started again while its clients are connected and updates come.
struct ReconnectionStorm {
    /// From the kill until every client had its subscription and its state again.
    var seconds: Double
    var totals: LoadTotals

    /// Of updates meanwhile, each second.
    private static let updatesPerSecond = 1000.0
    private static let patienceSeconds = 60.0

    /// Connects a client to each of `channels`, kills the server, and waits for all clients to be back.
    static func measure(
        _ server: any PushServer, _ updates: LoadUpdates, channels: [String], stop: StopSignal
    ) throws -> ReconnectionStorm {
        let clients = LoadClients(server.target, channels: channels, stop: stop)
        defer { clients.close() }
        try clients.waitUntilSubscribed(within: 120)
        // So that clients have events after which they resume.
        let all = UpdateDrive(
            updates: updates, trips: channels.count, ratePerSecond: Double(channels.count), stop: stop)
        let sent = try all.run(seconds: 1, to: server.feed)
        try clients.waitForUpdates(sent, within: 10)
        try clients.reset()
        let drive = UpdateDrive(
            updates: updates, trips: channels.count, ratePerSecond: updatesPerSecond, stop: stop)
        let began = ContinuousClock.now
        try server.restart()
        // The old connections count until the clients have seen their end.
        while try clients.subscribed() == clients.count { try stop.check() }
        try drive.run(seconds: patienceSeconds, to: server.feed) { try clients.subscribed() < clients.count }
        let seconds = began.duration(to: .now) / .seconds(1)
        try clients.waitUntilSubscribed(within: 1)
        return ReconnectionStorm(seconds: seconds, totals: try clients.totals())
    }
}
