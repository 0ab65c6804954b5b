import HistoryWorker
import Runtime

await HistoryWorkerCommand.runAsMain()
