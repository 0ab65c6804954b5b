import Foundation
import Glibc
import Runtime

/// Runs `sightline evaluate` and `sightline bench` as programs of their own, found beside this one.
///
/// They measure Sightline and are not part of the image, so that it does not contain what only developers need.
enum SiblingProgram {
    private static let commands: Set<String> = ["evaluate", "bench"]

    /// Replaces this process by the sibling that the first argument names; returns if it names none.
    static func runIfNamed(by arguments: [String]) {
        guard arguments.count > 1, commands.contains(arguments[1]) else { return }
        let program = "sightline-\(arguments[1])"
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? arguments[0]
        let path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(program).path
        var pointers = ([path] + arguments.dropFirst(2)).map { strdup($0) } + [nil]
        execv(path, &pointers)
        StandardError.write(
            "sightline: cannot run \(path): \(String(cString: strerror(errno))). "
                + "Build it with: swift build --configuration release --product \(program)\n")
        exit(ExitStatus.failure)
    }
}
