import Benchmarks
import SightlineCLI

await BenchCommand.start(Array(CommandLine.arguments.dropFirst()))
