/// A program that does not start, or does not end as it should.
package struct ChildProcessError: Error, CustomStringConvertible {
    /// One sentence.
    package let description: String

    package init(_ description: String) { self.description = description }
}
