import NIOCore
import Runtime

/// Writer of a JSON object, member by member.
struct MessageWriter {
    private var text = "{"
    private var isFirst = true

    init() {}

    /// Starts a message with the member `type`.
    init(type: String) { self.text("type", type) }

    mutating func text(_ name: StaticString, _ value: String?) {
        key(name)
        guard let value else { return null() }
        JSONText.append(value, to: &text)
    }

    mutating func number(_ name: StaticString, _ value: Int64?) {
        key(name)
        text += value.map(String.init) ?? "null"
    }

    /// Appends a number; `null` if it is absent or not finite.
    mutating func decimal(_ name: StaticString, _ value: Double?) {
        key(name)
        text += value.flatMap { $0.isFinite ? "\($0)" : nil } ?? "null"
    }

    mutating func flag(_ name: StaticString, _ value: Bool) {
        key(name)
        text += value ? "true" : "false"
    }

    /// Appends a value that is already JSON; `null` if it is absent or empty.
    mutating func json(_ name: StaticString, _ value: (some Collection<UInt8>)?) {
        key(name)
        guard let value, !value.isEmpty else { return null() }
        text += String(decoding: value, as: UTF8.self)
    }

    mutating func object(_ name: StaticString, _ value: MessageWriter) {
        key(name)
        text += value.finished
    }

    mutating func texts(_ name: StaticString, _ values: some Collection<String>) {
        list(name, values) { value, text in JSONText.append(value, to: &text) }
    }

    /// Appends a list of values that are already JSON.
    mutating func list(_ name: StaticString, json values: some Collection<[UInt8]>) {
        list(name, values) { value, text in text += String(decoding: value, as: UTF8.self) }
    }

    /// Appends a list; `append` writes each element as JSON.
    mutating func list<Values: Collection>(
        _ name: StaticString, _ values: Values, _ append: (Values.Element, inout String) -> Void
    ) {
        key(name)
        text += "["
        var isFirst = true
        for value in values {
            if !isFirst { text += "," }
            isFirst = false
            append(value, &text)
        }
        text += "]"
    }

    var finished: String { text + "}" }

    var buffer: ByteBuffer { ByteBuffer(string: finished) }

    private mutating func null() { text += "null" }

    private mutating func key(_ name: StaticString) {
        text += isFirst ? "\"\(name)\":" : ",\"\(name)\":"
        isFirst = false
    }
}
