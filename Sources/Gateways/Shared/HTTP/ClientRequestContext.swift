import Hummingbird
import NIOCore

/// Context of a client's request, with the connection it arrived on.
struct ClientRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
