import CFuzzer
import Foundation
import Support

/// The current target: global, because libFuzzer's callback has no context, and used by only one thread.
nonisolated(unsafe) private var target: (any FuzzTarget)?

// Usage: Fuzz TARGET [libFuzzer options and folders of inputs] | Fuzz seeds FOLDER | Fuzz (lists the targets)
guard CommandLine.argc > 1 else {
    for kind in fuzzTargets { print(kind.name) }
    exit(0)
}
if CommandLine.argc == 3, CommandLine.arguments[1] == "seeds" {
    try SeedWriter.write(to: CommandLine.arguments[2])
    exit(0)
}
guard let kind = fuzzTargets.first(where: { $0.name == CommandLine.arguments[1] }) else {
    print("Unknown target '\(CommandLine.arguments[1])'; use one of \(fuzzTargets.map { $0.name }).")
    exit(2)
}
target = kind.init()
// libFuzzer expects the name of the program first; the name of the target replaces it.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
exit(
    LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        target?.run(ByteSlice(start: UnsafeRawPointer(bytes), count: count))
        return 0
    })
