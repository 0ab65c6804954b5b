import ProcessorWorkers
import Runtime

await EtaWorkerCommand.runAsMain()
