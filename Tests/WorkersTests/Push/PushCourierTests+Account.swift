import Foundation

extension PushCourierTests {
    /// Service account file with a TEST KEY that is not in use.
    static var account: Data {
        get throws {
            try JSONSerialization.data(withJSONObject: [
                "type": "service_account", "project_id": "demo", "client_email": "push@demo.example",
                "private_key_id": "K1", "private_key": key, "token_uri": "https://token",
            ])
        }
    }

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCLZD1JF9XXfA65
        feV5D8OtPry86VHseFvVsiOHiWDbf/EsHCQlpI0+Q1UfndAPci5oQ31MWbfED6Xu
        y7CW0HyUmdA7lZaxR9M2OT4yHfYu6CTH4kIC0yU8eeiLQKa/eNAh47fHQyusS9+L
        beZw6Wk2LEXuzPd8ttIoZmw33PC1l0Kg5dlQMPjABMMWJLcdjNPndc6+evPnwQ4H
        AQoHs20QSuM15AF8CcE9OawnDwAXF977qcN/WkLtBmjk47aSK8AgeaC34e+VDWmN
        bPP4UiJFLIxxeNTilhh7Mq14VkQ5zII9RquPmaZtyCvJShSCIjqEzLIwInghgBag
        Q+qu5Fh9AgMBAAECggEAG45pfzWzFLJ1xr3Yy6IOMQWiEkad532zyf85fuXtu/cD
        GpFFpBtvwMtW3LU6GJOeEQamkp158syVJSwncOkud8IgpGbiL5Hfc2zFmurJbGSA
        QPO90Qkk51vCWSUi0d90Zf66qi3hSGKHguzrDY9XOVpvSNJEaudJjKsS4chP3dYK
        qXxq+Rh7A1T8SZsYUsTMKi/aM92FyGfka6UDO2JappIHdeyYlsVlCgx8bYAHTzqr
        DriO9NzAsH7WAN6kuAv2f+IlTIEhTX/3qAr1RdtggqHCMEq4SI/PAPieUAW9C73+
        JdPPjJZ7fjqdSsuTOnt2f5dyMSUHXrNKoseIh37EgQKBgQC8/AGPkbQS2xwK7hMj
        EopE32sbdY5CbVBRuExH7EQBC8NURAesy5z4X4Z6kwbINlcSTPdN6TyfHqUyOghe
        ETGup4rr+pXunu38z6VhJAbAD0/WRBLk2xOMXiRbYNFyFZ2/lQu9mTFr3kRuQhmY
        k/HPbXMkc+rGKo2cy4CCB67LOQKBgQC80jKu9dMLwaigyhsuwpcW/qLWnq9UBMz0
        gwAF/exWvREfB5g7A8T+TkwUsMreqP4+tHlw0OzDtlyouSZR+DrT/B7lIvgcLVgm
        ejsFLejHLf4gwePpKtZp9EfLZo330AcL7YG4IXEohrMr/lwSiKcctJgxzcdz7RgS
        LEsMrHCDZQKBgFvCjMt19pZVNyeDc11LKkHIrUvW520PgLk9ICSn7lkHqh7nLUbU
        UnIyh6xKaTebUum63zVAM0QbcCCUFu39sT7ZcNWlhVkoZ+uhsu4YvQJSLPSfdwER
        8krshwCrYObg4ghcySeVE28Jq/ZRN/Zilz2dKhQgCHWRwdLI6Ku6KT/ZAoGAWJ7z
        KMi5l+/5nBWfcm/kB+fVN5PcyDtEkpIVZbqKvR8ZtQ2UdkZLo+vNq3xaiuyX/4gm
        4zs7lJO3o3zarmgp/Cp9uZ+TAW6Ky+xcXQ7yDOHaPzehJ2NypOIA/EcS5LdfR0re
        sjQH7zRhTYmhXxWCEWf1cpKZRSCHRqhBRR595D0CgYEAj8Af8Zg7u1X2aEJIE7lr
        YhvFfRIJqpMLSVx7tqHbZOB/19E21kXlfyXLkhgrQbNah6KaaicC+nxWqEF/Wqjo
        dnKe79smOyqavStyPgnc9+FzbYWENfcXVKOPlNUKf0fw1JIKnFnD88Gvin682V8G
        XSKINdE5uApDpSkufY/zd38=
        -----END PRIVATE KEY-----
        """
}
