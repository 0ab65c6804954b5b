import PositionWorker
import Runtime

await PositionWorkerCommand.runAsMain()
