import EtaWorker
import Runtime

await EtaWorkerCommand.runAsMain()
