import ArgumentParser
import BroadcastWorker
import EtaWorker
import Gateways
import HistoryWorker
import LocationWorker
import PositionWorker
import PushWorker

/// The workers by the names of their executables.
enum WorkerCommands {
    private static let all: [any AsyncParsableCommand.Type] = [
        LocationWorkerCommand.self, EtaWorkerCommand.self, PositionWorkerCommand.self, HistoryWorkerCommand.self,
        BroadcastWorkerCommand.self, PushWorkerCommand.self, RiderGatewayCommand.self, DriverGatewayCommand.self,
    ]

    /// The worker called `name`, such as `location-worker`; `nil` when there is none.
    static func named(_ name: String) -> (any AsyncParsableCommand.Type)? {
        all.first { $0.configuration.commandName == name }
    }
}
