/// Test keys, and tokens signed with them by `openssl dgst -sign` and `-mac HMAC`.
///
/// The private keys were deleted; only these tests may trust the public keys.
///
/// All tokens have the same claims: `sub` rider_1, `iss` https://issuer.test, `aud` riders and drivers, `exp`
/// 4102444800 (the year 2100), `nbf` 1700000000, `trips` tr_1 and tr_2, `routes` *, `driver` drv_1, `scope` "fleet
/// drivers.near".
enum SignedByOpenSSL {
    /// HS256 secret of 48 bytes.
    static let secret = "test secret, used by tests alone: not a real one"
    /// Signed with ``secret``; without `kid`.
    static let hs256 = """
        eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJyaWRlcl8xIiwiaXNzIjoiaHR0cHM6Ly9pc3N1ZXIudGVzdCI\
        sImF1ZCI6WyJyaWRlcnMiLCJkcml2ZXJzIl0sImV4cCI6NDEwMjQ0NDgwMCwibmJmIjoxNzAwMDAwMDAwLCJ0cmlwcyI6WyJ\
        0cl8xIiwidHJfMiJdLCJyb3V0ZXMiOlsiKiJdLCJkcml2ZXIiOiJkcnZfMSIsInNjb3BlIjoiZmxlZXQgZHJpdmVycy5uZWF\
        yIn0.Z92WLREb1xmh9bbAoj-o7eXJKkEMWKSfgbXY3Fda8CA
        """
    /// Signed with the private key of ``modulus``; `kid` is rsa.
    static let rs256 = """
        eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6InJzYSJ9.eyJzdWIiOiJyaWRlcl8xIiwiaXNzIjoiaHR0cHM6Ly9\
        pc3N1ZXIudGVzdCIsImF1ZCI6WyJyaWRlcnMiLCJkcml2ZXJzIl0sImV4cCI6NDEwMjQ0NDgwMCwibmJmIjoxNzAwMDAwMDA\
        wLCJ0cmlwcyI6WyJ0cl8xIiwidHJfMiJdLCJyb3V0ZXMiOlsiKiJdLCJkcml2ZXIiOiJkcnZfMSIsInNjb3BlIjoiZmxlZXQ\
        gZHJpdmVycy5uZWFyIn0.rWe4B-msKTljR1B7OMwOWLWKRt9Uqx20ozDsDevsKPHNMIUaWuT7zLwB_T7iJ6ZxneagCo90Fey\
        DWFfC2dFunuxCa-UfVdNcOKAbmyQ091u-TAq0MhcDf5mz0SeBDCkZ_BN8mUd5bid3sTSf1U3Yth05SjKXDvA-KV10sl3TRQe\
        nzsJWWNSTnZ9I9A88olyDnK9i4oB2BxPXjY9DluXjuH-QBf_XpevpSCgnSDlAtaEhDskRsEvG8kq7d42nUODMpdDLnOIVi6W\
        LqhVe7XMbKWbgNnGMfyf3yHqlc_UpITWXEZHHdkqH07edJlrcbQuIz3YcWrfdA5i2JYZti4GdVA
        """
    /// Like ``rs256``, but signed with RS512.
    static let rs512 = """
        eyJhbGciOiJSUzUxMiIsInR5cCI6IkpXVCIsImtpZCI6InJzYSJ9.eyJzdWIiOiJyaWRlcl8xIiwiaXNzIjoiaHR0cHM6Ly9\
        pc3N1ZXIudGVzdCIsImF1ZCI6WyJyaWRlcnMiLCJkcml2ZXJzIl0sImV4cCI6NDEwMjQ0NDgwMCwibmJmIjoxNzAwMDAwMDA\
        wLCJ0cmlwcyI6WyJ0cl8xIiwidHJfMiJdLCJyb3V0ZXMiOlsiKiJdLCJkcml2ZXIiOiJkcnZfMSIsInNjb3BlIjoiZmxlZXQ\
        gZHJpdmVycy5uZWFyIn0.h4MgnVZKsmeXzAijp2EHPt_Li11ncoJGPeAoVPT1kE4OiasBvMl5Osj5jBBAEy-MAQUU2xGg9MC\
        3bZYk_NmFrnjwemVN5VsttM70Vr_prLzeLAmfKond5KRmkfWHUECHZe0Bi4agcEuvpGYiJ1wc18hNbZNjgvIHmyZBol2Cjfl\
        bZsXp1k8PwZjgQDcHIpGtxUD8JUGOhHKAjgJezHU8FqffC4d5aXON9c35_y-gPX_30dbD_vCDWZmt-S6E3dtZNEFxB3sSzzX\
        YcW3mN3pBddA3p-63OB1Ce5YpJyfvJHQ0j57E15PGIIEoZydXVnasPdUhBomAQnZhpoqoCuwvAQ
        """
    /// Like ``rs256``, but signed with PS256.
    static let ps256 = """
        eyJhbGciOiJQUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6InJzYSJ9.eyJzdWIiOiJyaWRlcl8xIiwiaXNzIjoiaHR0cHM6Ly9\
        pc3N1ZXIudGVzdCIsImF1ZCI6WyJyaWRlcnMiLCJkcml2ZXJzIl0sImV4cCI6NDEwMjQ0NDgwMCwibmJmIjoxNzAwMDAwMDA\
        wLCJ0cmlwcyI6WyJ0cl8xIiwidHJfMiJdLCJyb3V0ZXMiOlsiKiJdLCJkcml2ZXIiOiJkcnZfMSIsInNjb3BlIjoiZmxlZXQ\
        gZHJpdmVycy5uZWFyIn0.ZSUI1ASw6VcHSsa4pnf8dJ5ak3PAHT4MzLNLDvTqkbzeShsriN3LBHTuImluTxavg3A2yQ7rtbt\
        lWpKw6gMJpV2HoFMRvrfo_FBmnuPlq28z41clUnN9498ILPD82SwoOQbzo5uhAdTgiXBlvH5jF5ZX96nFsy3mH7OgcXKXDKN\
        S2vdWuKXceO6YKqE6Ss-y8YcIOgFdQTYxZQTN33wvovjQBUxcChdp2PRsdErM3zh1AuPgZiUNLfyp4WNTXrxSDaru5YuefyW\
        jMSivgg5m0786BUf96bHoYhYS-87OIxKwxirMUecD65PDVhL2zmAV8dxNCgmDT-VAxBERLEwUsg
        """
    /// Signed with the private key of ``x`` and ``y``; `kid` is ec.
    static let es256 = """
        eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImVjIn0.eyJzdWIiOiJyaWRlcl8xIiwiaXNzIjoiaHR0cHM6Ly9p\
        c3N1ZXIudGVzdCIsImF1ZCI6WyJyaWRlcnMiLCJkcml2ZXJzIl0sImV4cCI6NDEwMjQ0NDgwMCwibmJmIjoxNzAwMDAwMDAw\
        LCJ0cmlwcyI6WyJ0cl8xIiwidHJfMiJdLCJyb3V0ZXMiOlsiKiJdLCJkcml2ZXIiOiJkcnZfMSIsInNjb3BlIjoiZmxlZXQg\
        ZHJpdmVycy5uZWFyIn0.Y6CE3P6w4ckfbAXdZ67GJ0Gx-oMLzK7tX6Mu-2vCprJsdxTZQub86fZyt8Y4yq-hjvOLbugBnsRH\
        nog1vSTg4g
        """
    /// RSA modulus of 2,048 bits.
    static let modulus = """
        vCSG9GdYeJ0GtGV_5FeX8IMpaBoGRf7Dc66St4GG-NGa4DhstSP0t_RTmdRRUunxwCEiE6rZs8zsr9qBZTokw6xTuiManClL\
        SfFpYK7lhJxneV3Uf4KS-i5WlFax7-lUdFgfrEhWXuBdhz0YNrDCQOA8NqNcVTnoJ_LCM81-AKTwfLMgTlpq8g_3coE97Ymk\
        -HHIDBp9lgzMS15FI3KqFZpEFfmSHwMt4yXxlU4d9aBJxl_VDXFdaAaAl_majYmpEb_8yd8r48NTvSr1pBoItw0bbEgPsw8M\
        0aQ14E4cjz_Br3jlGmSz1Mj43HCR_K0oCYZxCGzL8i4_zxe38xux-Q
        """
    static let modulus2047 = """
        dez7kHZHENvAfFGwvI21KwfB7bGHS6RPP-7KnNfG7_gnL9885HBeJF2BAmLitcH4xo5R7s767NyjtqMQQQSGuQ__62IBd8Ic\
        GTz2Cji2hAD-0q25wMzaBAK9h9MdJsGMrQkRpb3ZDG19_Y-eUYRG_kaJ3Guxf25VzbdEM-XIjVra-oeTlUxVNLVO9qBn-MqV\
        QKXtgjNv1_a3UlwK_dhdFo9s3lvqEnvl5fYtdC9QPCQxk9_g0-2TfgfquuoFp4z8vO6LWNZcIzX--USxHpWZrHns8N82U-Gf\
        -9TfW6outnyKx6npMIawWw7ejueY41ZbL_MkufD18Lys77EWy1ctPQ
        """
    static let modulus1024 = """
        r7X8j7ZstfNpY_e1NIj3YHOMX4fBHmYCJwWVvVzX4LaTogsvZQsKjT5--O-fVOQin1NvtZA5HJGPBBwXAu-0D8FPMCaT2jpO\
        A80KTAyZ-HX4ZEj_JcbfFVY3-c3lFHl0Mi6eYZYWVXNjPObhPG39kYLKAfd260QbYL19zk5Zu7E
        """
    /// The public key with ``modulus``, as `openssl` writes it.
    static let publicKeyPEM = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvCSG9GdYeJ0GtGV/5FeX
        8IMpaBoGRf7Dc66St4GG+NGa4DhstSP0t/RTmdRRUunxwCEiE6rZs8zsr9qBZTok
        w6xTuiManClLSfFpYK7lhJxneV3Uf4KS+i5WlFax7+lUdFgfrEhWXuBdhz0YNrDC
        QOA8NqNcVTnoJ/LCM81+AKTwfLMgTlpq8g/3coE97Ymk+HHIDBp9lgzMS15FI3Kq
        FZpEFfmSHwMt4yXxlU4d9aBJxl/VDXFdaAaAl/majYmpEb/8yd8r48NTvSr1pBoI
        tw0bbEgPsw8M0aQ14E4cjz/Br3jlGmSz1Mj43HCR/K0oCYZxCGzL8i4/zxe38xux
        +QIDAQAB
        -----END PUBLIC KEY-----

        """
    /// A point of P-256.
    static let x = "L52GEEPqBqP06BnlXrw9WgkNbPA5Fj-AjLdz11G4Zrc"
    static let y = "bHu-d5YMEu4z5njb80bFKvGMgsk4tMEbzSTF1SLEwJ0"
    /// A point of P-384.
    static let x384 = "_rr8Urf1puSn0x1F_caCMylACOdUgT7xHvu7zi9n8LQR5qK2NL_GZi4QLxpiI7m6"
    static let y384 = "FHTwbodQjuScLCzY9bHznOTQv2LGerhvFjrpXzLlPF2RnzgllGgY665Kjlpwvp1h"
}
