import PushWorker
import Runtime

await PushWorkerCommand.runAsMain()
