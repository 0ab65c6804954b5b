extension DriverWarning {
    /// What a device is told of it.
    var payload: MessageWriter {
        var writer = MessageWriter()
        writer.text("warning_code", code.rawValue)
        writer.text("action", "\(action.code)")
        writer.text("message", message)
        return writer
    }
}
