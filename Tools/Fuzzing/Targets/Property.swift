import Foundation

/// Stops the program with `sentence` when a property does not hold, so that the fuzzer keeps the input.
@inline(__always)
func hold(_ isTrue: Bool, _ sentence: @autoclosure () -> String) {
    guard !isTrue else { return }
    FileHandle.standardError.write(Data("PROPERTY BROKEN: \(sentence())\n".utf8))
    preconditionFailure("A property of a fuzz target holds for every input.")
}

/// A value that must be there.
func held<Value>(_ value: Value?, _ sentence: @autoclosure () -> String) -> Value {
    guard let value else {
        hold(false, sentence())
        preconditionFailure("A property of a fuzz target holds for every input.")
    }
    return value
}
