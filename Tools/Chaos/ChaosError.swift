/// Why the suite itself cannot go on; no finding about the pipeline.
struct ChaosError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
