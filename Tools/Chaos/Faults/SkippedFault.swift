/// A fault that cannot be brought about with the services of this run.
struct SkippedFault: Error {
    var reason: String
}
