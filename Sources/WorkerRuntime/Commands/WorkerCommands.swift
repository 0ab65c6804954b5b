import ArgumentParser

/// The workers by the names of their executables.
package enum WorkerCommands {
    private static let all: [any AsyncParsableCommand.Type] = [
        LocationWorkerCommand.self, EtaWorkerCommand.self, PositionWorkerCommand.self, HistoryWorkerCommand.self,
        BroadcastWorkerCommand.self,
    ]

    /// The worker called `name`, such as `location-worker`; `nil` when there is none.
    package static func named(_ name: String) -> (any AsyncParsableCommand.Type)? {
        all.first { $0.configuration.commandName == name }
    }
}
