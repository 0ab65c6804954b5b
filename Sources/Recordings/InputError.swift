/// What is wrong with a file that was to be read, in one sentence.
package struct InputError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
