import Codec
import Foundation
import Runtime

/// Brings requests to the services: several at a time, and again where a service asks for that.
package actor PushCourier {
    private let policy: PushRetryPolicy
    /// Where the services are, without a path.
    private let addresses: [PushPlatform: String]
    private let maximumConcurrency: Int
    private var apns: APNSLogin?
    private var fcm: FCMLogin?
    private let nowSeconds: @Sendable () -> Int64

    /// - Parameters:
    ///   - credentials: empty for a dry run, whose requests carry no login.
    ///   - addresses: such as `https://api.push.apple.com`.
    ///   - maximumConcurrency: requests under way at a time.
    ///   - policy: when requests are tried again.
    ///   - nowSeconds: since 1970, for the logins.
    /// - Throws: ``PushSinkError`` when a key cannot be used.
    package init(
        credentials: PushCredentials, addresses: [PushPlatform: String], maximumConcurrency: Int,
        policy: PushRetryPolicy,
        nowSeconds: @escaping @Sendable () -> Int64 = { WallClock.milliseconds() / 1000 }
    ) async throws {
        self.policy = policy
        self.addresses = addresses
        self.maximumConcurrency = maximumConcurrency
        self.nowSeconds = nowSeconds
        if let key = credentials.apns { apns = try await APNSLogin(key) }
        if let account = credentials.fcm { fcm = try await FCMLogin(account) }
    }

    /// Delivers jobs that have no result yet; those that have none at `deadline` come back without one.
    package func deliver(
        _ jobs: [PushJob], over transport: some PushTransport, until deadline: ContinuousClock.Instant
    ) async -> [PushJob] {
        var jobs = jobs
        while true {
            let open = jobs.indices.filter { jobs[$0].result == nil }
            guard let next = open.map({ jobs[$0].notBefore }).min(), max(next, .now) < deadline else { return jobs }
            if next > .now {
                // Ends early when the task is cancelled, which the deadline bounds.
                try? await Task.sleep(until: next, clock: .continuous)
                if Task.isCancelled { return jobs }
            }
            let due = open.filter { jobs[$0].notBefore <= .now }
            let posts = await posts(of: due.map { jobs[$0].request }, over: transport)
            var waiting: [(Int, PushPlatform, PushPost)] = []
            for (index, post) in zip(due, posts) {
                switch post {
                case .success(let post): waiting.append((index, jobs[index].request.platform, post))
                case .failure(let error): jobs[index].take(.later(seconds: 0, reason: "\(error)"), policy)
                }
            }
            for (index, outcome) in await send(waiting, over: transport, until: deadline) {
                if outcome == .loginExpired { forgetLogin(of: jobs[index].request.platform) }
                jobs[index].take(outcome, policy)
            }
        }
    }

    private func forgetLogin(of platform: PushPlatform) {
        switch platform {
        case .apns: apns?.forget()
        case .fcm: fcm?.forget()
        }
    }

    /// The requests with addresses and logins; a login is asked for once for all of them.
    private func posts(
        of requests: [PushRequest], over transport: some PushTransport
    ) async -> [Result<PushPost, PushLoginError>] {
        var logins: [PushPlatform: Result<String?, PushLoginError>] = [:]
        for platform in Set(requests.map(\.platform)) { logins[platform] = await login(at: platform, over: transport) }
        return requests.map { request in
            guard let login = logins[request.platform] else { preconditionFailure("Every platform was asked.") }
            return login.map { authorization in
                var headers = request.headers.map { ($0.name, $0.value) }
                if let authorization { headers.append(("authorization", authorization)) }
                return PushPost(
                    url: (addresses[request.platform] ?? "") + request.path, headers: headers, body: request.body)
            }
        }
    }

    private func login(
        at platform: PushPlatform, over transport: some PushTransport
    ) async -> Result<String?, PushLoginError> {
        do {
            switch platform {
            case .apns:
                guard var login = apns else { return .success(nil) }
                defer { apns = login }
                return .success(try await login.authorization(nowSeconds: nowSeconds()))
            case .fcm:
                guard var login = fcm else { return .success(nil) }
                defer { fcm = login }
                return .success(try await login.authorization(nowSeconds: nowSeconds(), over: transport))
            }
        } catch {
            return .failure(PushLoginError(description: "there is no login: \(error)"))
        }
    }

    /// Sends requests, a bounded number at a time; none is begun after `deadline`.
    private func send(
        _ posts: [(Int, PushPlatform, PushPost)], over transport: some PushTransport,
        until deadline: ContinuousClock.Instant
    ) async -> [(Int, PushOutcome)] {
        await withTaskGroup(of: (Int, PushOutcome).self) { group in
            var outcomes: [(Int, PushOutcome)] = []
            var begun = 0
            for (index, platform, post) in posts {
                if begun - outcomes.count >= maximumConcurrency, let outcome = await group.next() {
                    outcomes.append(outcome)
                }
                guard ContinuousClock.now < deadline else { break }
                begun += 1
                group.addTask { (index, await Self.outcome(of: post, at: platform, over: transport)) }
            }
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }

    private static func outcome(
        of post: PushPost, at platform: PushPlatform, over transport: some PushTransport
    ) async -> PushOutcome {
        do {
            let reply = try await transport.post(post)
            return PushAnswer(status: reply.status, retryAfter: reply.retryAfter, body: reply.body)
                .outcome(of: platform)
        } catch {
            return .later(seconds: 0, reason: "no answer: \(error)")
        }
    }
}
