import Evaluation
import SightlineCLI

await EvaluateCommand.start(Array(CommandLine.arguments.dropFirst()))
