import CFaultSimulation
import Glibc

// The order of dictionaries and sets must not differ between runs.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
}
let first = UInt64(CommandLine.arguments.dropFirst().first ?? "1") ?? 1
let count = UInt64(CommandLine.arguments.dropFirst(2).first ?? "1") ?? 1
for seed in first..<first + count {
    let began = sl_real_nanoseconds()
    let result = SeedRun(scenario: Scenario(seed: seed), isTraced: count == 1).run()
    let seconds = Double(sl_real_nanoseconds() - began) / 1e9
    if !result.violations.isEmpty { print("seed", seed, Scenario(seed: seed).faults, result.violations) }
    print("seed", seed, result.violations.count, result.digest, result.records, result.virtualSeconds, "in", seconds, "s")
}
