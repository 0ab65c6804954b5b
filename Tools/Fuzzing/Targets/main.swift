import Bytes
import CFuzzer
import Foundation

/// The target in work: what the fuzzer calls has no room for context.
///
/// There is one thread.
nonisolated(unsafe) private var target: (any FuzzTarget)?

// usage: Fuzz TARGET [libFuzzer's options and folders of inputs] | Fuzz seeds FOLDER; without arguments the targets.
guard CommandLine.argc > 1 else {
    for kind in fuzzTargets { print(kind.name) }
    exit(0)
}
if CommandLine.argc == 3, CommandLine.arguments[1] == "seeds" {
    try SeedWriter.write(to: CommandLine.arguments[2])
    exit(0)
}
guard let kind = fuzzTargets.first(where: { $0.name == CommandLine.arguments[1] }) else {
    print("There is no target '\(CommandLine.arguments[1])'; there are \(fuzzTargets.map { $0.name }).")
    exit(2)
}
target = kind.init()
// The target's name takes the place of the program's, which is what libFuzzer expects first.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        target?.run(ByteSlice(start: UnsafeRawPointer(bytes), count: count))
        return 0
    })
