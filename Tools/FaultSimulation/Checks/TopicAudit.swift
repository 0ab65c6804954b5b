import Runtime
import SightlineCLI

/// Run of `sightline audit` in the simulation.
enum TopicAudit {
    /// Waits until the workers have processed everything, and compares the topics.
    /// - Returns: the report of an audit with differences; `nil` without differences.
    static func run(_ pipeline: SimulatedPipeline, waitSeconds: Double) -> String? {
        let world = pipeline.world
        var result: String?
        let process = world.start("audit") {
            do {
                let settings = try Settings(for: .commandLine, environment: pipeline.environment)
                let audit = try AuditSession(
                    PipelineAccess(settings), .withoutHistory(waitSeconds: waitSeconds)
                ) { _ in }
                let report = try audit.run()
                result = report.relevantDifferences > 0 ? report.text : nil
                world.trace.add("audit: \(report.differences) differences")
                if world.trace.isPrinting { print(report.text) }
            } catch {
                result = "The audit failed: \(error)"
            }
        }
        let end = world.now + Int64((waitSeconds + 600) * 1e9)
        if !world.run(until: end, { process.hasEnded }) { return "The audit did not end." }
        return result
    }
}
