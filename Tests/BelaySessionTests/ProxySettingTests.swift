import Testing

@testable import BelaySession

@Suite("Proxy settings")
struct ProxySettingTests {
    @Test("a proxy that is spoken to by TLS is refused, whoever names it")
    func encrypted() {
        // libcurl reads all of these as the same scheme.
        for url in ["HTTPS://proxy.test:3129", "https:/proxy.test", "https:proxy.test", "https:///proxy.test"] {
            #expect(throws: ConfigurationError.encryptedProxy(source: "the configuration")) {
                try ProxySetting.url(url).check()
            }
        }
        for name in ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"] {
            #expect(throws: ConfigurationError.encryptedProxy(source: "the environment variable \(name)")) {
                try ProxySetting.environment.check(environment: [name: "https://user:secret@proxy.test"])
            }
        }
    }

    @Test("a proxy of a kind that is not known is refused by name, without its password")
    func unknown() throws {
        let error = ConfigurationError.unknownProxy(scheme: "gopher", source: "the configuration")
        for url in ["gopher://user:secret@proxy.test:70", " GOPHER:/proxy.test"] {
            #expect(throws: error) { try ProxySetting.url(url).check() }
        }
        #expect(error.description.contains("'gopher'") && error.description.contains("socks5h://"))
        for url in ["proxy.test:3128", "127.0.0.1:3128", "[::1]:3128", "proxy.test", "socks://proxy.test"] {
            try ProxySetting.url(url).check()
        }
    }

    @Test("others are fine, and what the environment says does not matter to who does not ask it")
    func others() throws {
        try ProxySetting.url("http://proxy.test:3128").check()
        try ProxySetting.url("socks5h://proxy.test").check()
        try ProxySetting.environment.check(environment: ["https_proxy": "http://proxy.test"])
        try ProxySetting.none.check(environment: ["https_proxy": "https://proxy.test"])
    }

    @Test("what is wrong is said without the proxy's password")
    func text() {
        let text = ConfigurationError.encryptedProxy(source: "the environment variable https_proxy").description
        #expect(text.contains("https_proxy") && !text.contains("secret"))
    }
}
