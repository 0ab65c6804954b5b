/// Why a key of the file is not used, as the end of a sentence.
struct KeyProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
