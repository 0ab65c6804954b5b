import Hummingbird
import NIOCore

/// What is known of a request of a client besides the request: the connection that it came on.
struct ClientRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
