import LocationWorker
import Runtime

await LocationWorkerCommand.runAsMain()
