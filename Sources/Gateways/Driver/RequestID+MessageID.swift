import Support

extension ClientMessage.RequestID {
    /// A device's message id, as ``DriverMessageReader/messageID(of:)`` has it; `nil` for none.
    init?(json: ByteSlice?) {
        guard let json, json.count > 0 else { return nil }
        if json[0] == UInt8(ascii: "\"") {
            self = .text(json[1..<json.count - 1].string)
        } else if let number = Int64(json.string) {
            self = .number(number)
        } else {
            return nil
        }
    }
}
