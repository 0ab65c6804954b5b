/// Private keys made for tests by `openssl genpkey`; nothing except tests may trust them.
package enum TestKeys {
    package static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKf7flaU56pBH0384
        tZSOtWJiz/QZi7yFSHxaTzY2B1WhRANCAATJdDp3AN3k91DZ4jJe3VDJRaYGf/vj
        avuR9Z+dgkE9vvcq41D6sDsqE5AWY4UfyG/M7gLT03QPIEkl/Jd6QeQ+
        -----END PRIVATE KEY-----
        """
    /// RSA key of 2,048 bits.
    package static let rsa = """
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
    package static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDArIQn08iiADBk5vFwT
        +fsJIKHJZwr7wkYYhSSjuvv59juw9nC9aF9xuyYuutEbu7mhZANiAARP/jCawyIl
        V2R486bzMTupw3DDhTEtPDWP+paJGYlnJVzpdDkFFt5qQPKD78Nc+J5AiTSCttIf
        yEe++u1P7VpYEmqXfdYS2kz+rcTrK54a/1H659nX5A4GrJ82TkNgYkA=
        -----END PRIVATE KEY-----
        """
    package static let rsa1024 = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAJuugquoopIyQU+J
        u6qKHk/pddl9RgsAHXMjeVm34nvV16fpHU7SEtfrtsnte6tK1rCJuJ7tL3P+HLVA
        Gifm5wCjpuJTxBIUWaWmDNI7W6YGr0NVjsQt+h3mThPWjD4jtIftv5B6+kE4/9Wz
        Q6DkblAlD6lOfP4DkxPJd4RL0MGlAgMBAAECgYBCtBLo2ehOG5pAKhNujp9OPglw
        lmxcakA0BQ8JkfBIfudX2lnkW74XJbe77TT/v6EdIuUnsxiR6l8CieSrFBQFVuYU
        qQrkA6thcrBTFd52Pldewp7DLmTWxEpILAVaCSjFXQbZCceZrORABgUJRDDVz01p
        Cfrkp6b3fwc7jIdiQQJBAM9qjHdNi84l6zQwOf6W0MG2IJd2TvwMQExdz6D2ADzr
        5A4xKO9PmcMnF4et9ooicC2ITv9oc7uVUblYPWnh6nMCQQDAJcQlZswomJ96A6KJ
        oLFqMQeqbQJGtx4jVmgudj3E6qQctbvaI2byAAJ9OaDu2EFn9t3QuM0Q5IfOfiQh
        pqWHAkBfMjjb/MRgzjiAUG4dshyH+85DlfI0bm8IXboQ1zdOvrmB5gAyrecVkZiU
        FjzkM2AnFbukL82GV8cVeTFeqmiPAkEAuhHYZ/+sJIPnq1hpxaz/IT5plfgKBEC/
        xqieKqAGIPK4CbVTPGKcBi1MO8fauHBipjLBiqXqrzke6i/s/UlLcQJBAItekELF
        t/C4jWLfdo/PeaNYFNX+fo5VhwCe6TOlqyy01KC9fwLmbT7B8MSR2keD8QcP0VKa
        zO2LwJ+LXldV8ts=
        -----END PRIVATE KEY-----
        """
    /// A key of P-256 that is encrypted with the passphrase `x`.
    package static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiMMBa+g9r/ZgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEKB8QzzV+okfc91NzA3IWd0EgZA+
        jwcPCAwhRMvlLfHRbKwujck8JrWKOrG0hopD01qrBZjJ+CUyasih6MC1u7RmNvW0
        lcU6ZmZvQ+kCVAN30shscQRTBufyb6WtP7Zcmf8SDi8igHbpRBsIE0gaPfZfvoMq
        UUy2T6PJb/vPphRKsCslXXC7qi0wgxDANDT33s3MQEqtcCeuEjISfghAVLHgKDk=
        -----END ENCRYPTED PRIVATE KEY-----
        """
}
