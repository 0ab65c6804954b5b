import Foundation

/// A JSON value to compare with a schema.
indirect enum JSONTree: Decodable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([JSONTree])
    case object([String: JSONTree])

    init(_ text: String) throws {
        self = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let array = try? container.decode([JSONTree].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    subscript(name: String) -> JSONTree? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }
    var string: String? { if case .text(let text) = self { text } else { nil } }
    var double: Double? { if case .number(let number) = self { number } else { nil } }

    /// The value's types in JSON Schema; whole numbers are both `integer` and `number`.
    var typeNames: Set<String> {
        switch self {
        case .null: ["null"]
        case .bool: ["boolean"]
        case .number(let number): number == number.rounded() ? ["number", "integer"] : ["number"]
        case .text: ["string"]
        case .array: ["array"]
        case .object: ["object"]
        }
    }
}
