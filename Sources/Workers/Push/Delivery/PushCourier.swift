import Codec
import Foundation
import Runtime

/// Sender of requests to the push services, concurrently and with retries.
actor PushCourier {
    private let policy: PushRetryPolicy
    /// URLs of the services, without a path.
    private let addresses: [PushPlatform: String]
    private let maximumConcurrency: Int
    /// Logins of the services that have credentials.
    private var logins: [PushPlatform: any PushLogin] = [:]
    private let nowSeconds: @Sendable () -> Int64

    /// Creates the logins of the services; requests without credentials have no `authorization` header.
    ///
    /// `nowSeconds` returns seconds since 1970, for the logins.
    /// - Throws: ``SinkError`` for an invalid key.
    init(
        credentials: PushCredentials, addresses: [PushPlatform: String], maximumConcurrency: Int,
        policy: PushRetryPolicy,
        nowSeconds: @escaping @Sendable () -> Int64 = { WallClock.milliseconds() / 1000 }
    ) throws {
        self.policy = policy
        self.addresses = addresses
        self.maximumConcurrency = maximumConcurrency
        self.nowSeconds = nowSeconds
        if let key = credentials.apns { logins[.apns] = try APNSLogin(key) }
        if let account = credentials.fcm { logins[.fcm] = try FCMLogin(account) }
    }

    /// Delivers the jobs without a result; jobs incomplete at `deadline` still have no result.
    func deliver(
        _ jobs: [PushJob], over transport: some PushTransport, until deadline: ContinuousClock.Instant
    ) async -> [PushJob] {
        var jobs = jobs
        while true {
            let open = jobs.indices.filter { jobs[$0].result == nil }
            guard let next = open.map({ jobs[$0].notBefore }).min(), max(next, .now) < deadline else { return jobs }
            if next > .now {
                // Throws if the task is cancelled.
                try? await Task.sleep(until: next, clock: .continuous)
                if Task.isCancelled { return jobs }
            }
            let due = open.filter { jobs[$0].notBefore <= .now }
            let posts = await posts(of: due.map { jobs[$0].request }, over: transport)
            var waiting: [(Int, PushPlatform, PushPost)] = []
            for (index, post) in zip(due, posts) {
                switch post {
                case .success(let post): waiting.append((index, jobs[index].request.platform, post))
                case .failure(let error): jobs[index].apply(.later(seconds: 0, reason: "\(error)"), policy)
                }
            }
            for (index, outcome) in await send(waiting, over: transport, until: deadline) {
                if outcome == .loginExpired { logins[jobs[index].request.platform]?.expire() }
                jobs[index].apply(outcome, policy)
            }
        }
    }

    /// Adds URLs and `authorization` headers to the requests; obtains one login per service.
    private func posts(
        of requests: [PushRequest], over transport: some PushTransport
    ) async -> [Result<PushPost, PushLoginError>] {
        var authorizations: [PushPlatform: Result<String?, PushLoginError>] = [:]
        for platform in Set(requests.map(\.platform)) {
            authorizations[platform] = await authorization(at: platform, over: transport)
        }
        return requests.map { request in
            (authorizations[request.platform] ?? .success(nil)).map { authorization in
                var headers = request.headers
                if let authorization { headers.append(("authorization", authorization)) }
                return PushPost(
                    url: (addresses[request.platform] ?? "") + request.path, headers: headers, body: request.body)
            }
        }
    }

    /// Returns the `authorization` header of a service; `nil` without credentials.
    private func authorization(
        at platform: PushPlatform, over transport: some PushTransport
    ) async -> Result<String?, PushLoginError> {
        do {
            guard var login = logins[platform] else { return .success(nil) }
            defer { logins[platform] = login }
            return .success(try await login.authorization(nowSeconds: nowSeconds(), over: transport))
        } catch {
            return .failure(PushLoginError(description: "login failed: \(error)"))
        }
    }

    /// Sends requests with bounded concurrency; starts no request after `deadline`.
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
            return try await transport.post(post).outcome(from: platform)
        } catch {
            return .later(seconds: 0, reason: "no response: \(error)")
        }
    }
}
