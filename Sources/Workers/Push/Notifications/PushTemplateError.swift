/// What is wrong with a file of templates; the part of a sentence.
package struct PushTemplateError: Error, CustomStringConvertible, Equatable {
    package let description: String
}
