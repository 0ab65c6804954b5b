import Foundation
import Testing

/// A validator for the keywords of JSON Schema 2020-12 that the published schemas use.
///
/// Reports other keywords; does not check `format`.
struct SchemaValidator {
    private let root: JSONTree
    /// Whether members that the schema does not list are reported.
    private let isStrict: Bool

    init(file name: String, isStrict: Bool) throws {
        let path = Self.folder.appending(path: name)
        root = try JSONTree(String(contentsOf: path, encoding: .utf8))
        self.isStrict = isStrict
    }

    /// Folder of the published schemas.
    static var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/schemas").standardized
    }

    /// Returns the values of `enum` at a path.
    func words(at path: String...) -> Set<String> {
        var node: JSONTree? = root
        for name in path { node = node?[name] }
        return Set((node?["enum"]?.elements ?? []).compactMap(\.string))
    }

    func problems(of record: String) throws -> [String] {
        problems(try JSONTree(record), root, "$")
    }

    private func problems(_ value: JSONTree, _ schema: JSONTree, _ path: String) -> [String] {
        guard case .object(let keywords) = schema else { return ["\(path): the schema is not an object"] }
        return keywords.flatMap { name, argument in problem(value, name, argument, schema, path) }
    }

    private func problem(
        _ value: JSONTree, _ keyword: String, _ argument: JSONTree, _ schema: JSONTree, _ path: String
    ) -> [String] {
        func check(_ holds: Bool) -> [String] {
            holds ? [] : ["\(path): \(keyword) \(argument) does not hold for \(value)"]
        }
        func isValid(_ other: JSONTree) -> Bool { problems(value, other, path).isEmpty }
        switch keyword {
        case "$schema", "$defs", "title", "description", "format", "then", "else": return []
        case "$ref": return problems(value, definition(argument), path)
        case "type":
            let names = argument.string.map { [$0] } ?? argument.elements.compactMap(\.string)
            return check(!value.typeNames.isDisjoint(with: names))
        case "enum": return check(argument.elements.contains(value))
        case "const": return check(argument == value)
        case "oneOf": return check(argument.elements.count { isValid($0) } == 1)
        case "anyOf": return check(argument.elements.contains { isValid($0) })
        case "allOf": return argument.elements.flatMap { problems(value, $0, path) }
        case "not": return check(!isValid(argument))
        case "if":
            guard let branch = schema[isValid(argument) ? "then" : "else"] else { return [] }
            return problems(value, branch, path)
        case "properties", "required": return members(value, keyword, argument, schema, path)
        default: return limit(value, keyword, argument, path, check)
        }
    }

    private func members(
        _ value: JSONTree, _ keyword: String, _ argument: JSONTree, _ schema: JSONTree, _ path: String
    ) -> [String] {
        guard case .object(let members) = value else { return [] }
        if keyword == "required" {
            return argument.elements.compactMap(\.string).filter { members[$0] == nil }.map {
                "\(path): \($0) is missing"
            }
        }
        // The trip service defines the names in context and facts.
        let isOpaque = path.hasSuffix(".context") || path.hasSuffix(".facts")
        let listsAll = isStrict && schema["type"] == .text("object") && !isOpaque
        return members.flatMap { name, member in
            guard let property = argument[name] else { return listsAll ? ["\(path): \(name) is not documented"] : [] }
            return problems(member, property, "\(path).\(name)")
        }
    }

    private func limit(
        _ value: JSONTree, _ keyword: String, _ argument: JSONTree, _ path: String, _ check: (Bool) -> [String]
    ) -> [String] {
        let bound = argument.double ?? .nan
        switch (keyword, value) {
        case ("minimum", .number(let number)): return check(number >= bound)
        case ("maximum", .number(let number)): return check(number <= bound)
        case ("exclusiveMaximum", .number(let number)): return check(number < bound)
        case ("minLength", .text(let text)): return check(text.unicodeScalars.count >= Int(bound))
        case ("maxLength", .text(let text)): return check(text.unicodeScalars.count <= Int(bound))
        case ("pattern", .text(let text)):
            return check(argument.string.flatMap { try? Regex($0) }.map { text.firstMatch(of: $0) != nil } ?? false)
        case ("minItems", .array(let items)): return check(items.count >= Int(bound))
        case ("maxItems", .array(let items)): return check(items.count <= Int(bound))
        case ("uniqueItems", .array(let items)): return check(Set(items).count == items.count)
        case ("items", .array(let items)):
            return items.enumerated().flatMap { problems($1, argument, "\(path)[\($0)]") }
        case ("minimum", _), ("maximum", _), ("exclusiveMaximum", _), ("minLength", _), ("maxLength", _),
            ("pattern", _),
            ("minItems", _), ("maxItems", _), ("uniqueItems", _), ("items", _):
            return []
        default: return ["\(path): the keyword \(keyword) is not supported"]
        }
    }

    private func definition(_ reference: JSONTree) -> JSONTree {
        let name = reference.string.map { String($0.dropFirst("#/$defs/".count)) } ?? ""
        return root["$defs"]?[name] ?? .null
    }
}
