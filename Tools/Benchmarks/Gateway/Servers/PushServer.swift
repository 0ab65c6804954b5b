/// A server that pushes updates to the clients that watch their channels.
protocol PushServer {
    /// For results and progress.
    var name: String { get }
    var target: LoadTarget { get }
    /// What takes updates to it.
    var feed: any UpdateFeed { get }

    /// What the server's process has used.
    func usage() throws -> ProcessUsage
    /// Ends the server abruptly and starts another one at the same port.
    func restart() throws
}
