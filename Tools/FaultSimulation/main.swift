import Glibc

// The order of dictionaries and sets must not differ between runs.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
}
FaultSimulationCommand.main()
