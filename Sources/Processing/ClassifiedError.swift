/// An error of the surroundings that says what to do about it.
package protocol ClassifiedError: Error, CustomStringConvertible {
    /// The same call may succeed later without any intervention.
    var isRetriable: Bool { get }
    /// The process cannot go on: it exits with one clear line.
    var isFatal: Bool { get }
}
