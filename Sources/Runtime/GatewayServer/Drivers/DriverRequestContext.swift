import Hummingbird
import NIOCore

/// What is known of a request to driver-gateway besides the request: where it comes from.
struct DriverRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
