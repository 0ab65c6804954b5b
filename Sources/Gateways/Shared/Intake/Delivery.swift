/// Something of a topic on its way to the clients of one event loop who watch `name`.
struct Delivery<Name: Sendable, Content: Sendable>: Sendable {
    let name: Name
    let content: Content
}
