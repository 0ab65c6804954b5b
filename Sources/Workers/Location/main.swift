import ProcessorWorkers
import Runtime

await LocationWorkerCommand.runAsMain()
