import BroadcastWorker
import Runtime

await BroadcastWorkerCommand.runAsMain()
