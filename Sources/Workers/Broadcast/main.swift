import ProcessorWorkers
import Runtime

await BroadcastWorkerCommand.runAsMain()
