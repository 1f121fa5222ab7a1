// swift-tools-version: 6.1
import PackageDescription

// One-way layers: a target may depend only on targets listed above it.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "belay",
    products: [
        .library(name: "Belay", targets: ["Belay"]),
        .library(name: "BelayCertificates", targets: ["BelayCertificates"]),
        .library(name: "BelayTrust", targets: ["BelayTrust"]),
        .library(name: "BelayTLS", targets: ["BelayTLS"]),
        .library(name: "BelayTransportSecurity", targets: ["BelayTransportSecurity"]),
        .library(name: "BelayLint", targets: ["BelayLint"]),
        .library(name: "BelaySession", targets: ["BelaySession"]),
        .library(name: "BelayLaboratory", targets: ["BelayLaboratory"]),
        .executable(name: "belay", targets: ["BelayCommandLine"]),
    ],
    targets: [
        // C libraries of the system, one target each.
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        // Its header alone: the library is looked for at run time, and may be missing.
        .systemLibrary(name: "CP11", providers: [.apt(["libp11-dev"])]),
        .target(name: "CSystem", dependencies: ["COpenSSL"]),

        // What certificates are.
        .target(name: "BelayCertificates", dependencies: ["COpenSSL", "CP11", "CSystem"], swiftSettings: strict),
        // Whether a chain is good.
        .target(name: "BelayTrust", dependencies: ["BelayCertificates", "CIDN2", "CPSL"], swiftSettings: strict),
        // Handshakes: evidence from live servers.
        .target(
            name: "BelayTLS", dependencies: ["BelayTrust", "BelayCertificates", "COpenSSL", "CSystem"],
            swiftSettings: strict),
        // What an app's Info.plist demands.
        .target(
            name: "BelayTransportSecurity", dependencies: ["BelayTrust", "BelayCertificates", "CExpat"],
            swiftSettings: strict),
        // What an app's configuration really means, for people.
        .target(
            name: "BelayLint", dependencies: ["BelayTransportSecurity", "BelayTrust", "BelayCertificates", "CZip"],
            swiftSettings: strict),
        // HTTP whose every connection is judged.
        .target(
            name: "BelaySession",
            dependencies: [
                "BelayTransportSecurity", "BelayTLS", "BelayTrust", "BelayCertificates", "CCurl", "CBrotli", "CZlib",
                "CZstd", "CSystem",
            ],
            swiftSettings: strict),
        // A private world to try it in.
        .target(
            name: "BelayLaboratory", dependencies: ["BelayTLS", "BelayTrust", "BelayCertificates"],
            swiftSettings: strict),
        // The umbrella.
        .target(
            name: "Belay", dependencies: ["BelayCertificates", "BelayTrust", "BelayTLS", "BelaySession"],
            swiftSettings: strict),
        // The command line.
        .target(name: "BelayArguments", swiftSettings: strict),
        .executableTarget(
            name: "BelayCommandLine",
            dependencies: [
                "BelayArguments", "BelayCertificates", "BelayTrust", "BelayTLS", "BelayTransportSecurity", "BelayLint",
                "BelaySession", "BelayLaboratory", "CSystem",
            ],
            swiftSettings: strict),

        // What several test targets use: running programs, temporary folders.
        .target(
            name: "TestSupport", dependencies: ["BelayCertificates"], path: "Tests/Support", swiftSettings: strict),
        // A program for a test: what is left in memory of secrets.
        .executableTarget(
            name: "memory-probe", dependencies: ["BelayCertificates"], path: "Tests/MemoryProbe", swiftSettings: strict),
        // A program for a test: it ends while its session works.
        .executableTarget(
            name: "exit-probe", dependencies: ["BelaySession", "BelayTrust", "BelayCertificates"],
            path: "Tests/ExitProbe", swiftSettings: strict),
        // A program for a test: keys on tokens, in an environment of its own.
        .executableTarget(
            name: "token-probe", dependencies: ["BelayCertificates"], path: "Tests/TokenProbe", swiftSettings: strict),
        // What the session is tried on.
        .target(
            name: "SessionTestSupport",
            dependencies: [
                "TestSupport", "BelaySession", "BelayLaboratory", "BelayTLS", "BelayTrust", "BelayCertificates",
            ],
            path: "Tests/SessionTestSupport", swiftSettings: strict),
        // Changes chains at random; `make differential` compiles the same sources for its own package.
        .target(
            name: "Mutation", dependencies: ["BelayCertificates"], path: "Differential/Sources/Mutation",
            swiftSettings: strict),
        .testTarget(
            name: "BelayCertificatesTests", dependencies: ["TestSupport", "BelayCertificates", "memory-probe"],
            swiftSettings: strict),
        .testTarget(
            name: "BelayTrustTests",
            dependencies: ["TestSupport", "Mutation", "BelayTrust", "BelayCertificates", "COpenSSL"],
            swiftSettings: strict),
        .testTarget(
            name: "BelayTLSTests", dependencies: ["BelayTLS", "BelayTrust", "BelayCertificates", "COpenSSL"],
            swiftSettings: strict),
        .testTarget(
            name: "BelayTransportSecurityTests",
            dependencies: ["TestSupport", "BelayTransportSecurity", "BelayTrust", "BelayCertificates"],
            swiftSettings: strict),
        .testTarget(
            name: "BelayLintTests",
            dependencies: [
                "TestSupport", "BelayCommandLine", "BelayLint", "BelayTransportSecurity", "BelayTrust",
                "BelayCertificates",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BelaySessionTests",
            dependencies: [
                "TestSupport", "SessionTestSupport", "BelaySession", "BelayTransportSecurity", "BelayLaboratory",
                "BelayTLS", "BelayTrust", "BelayCertificates", "exit-probe",
            ],
            swiftSettings: strict,
            // The tests' own getaddrinfo(3) is the one that libcurl finds.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"])]),
        .testTarget(
            name: "BelayLaboratoryTests",
            dependencies: ["BelayLaboratory", "BelayTLS", "BelayTrust", "BelayCertificates"], swiftSettings: strict),
        .testTarget(name: "BelayTests", dependencies: ["Belay"], swiftSettings: strict),
        .testTarget(name: "BelayArgumentsTests", dependencies: ["BelayArguments"], swiftSettings: strict),
        .testTarget(
            name: "BelayCommandLineTests",
            dependencies: [
                "TestSupport", "SessionTestSupport", "BelayCommandLine", "BelayLaboratory", "BelayTLS", "BelayTrust",
                "BelayCertificates",
            ],
            swiftSettings: strict),
        // Against nginx, OpenSSL, GnuTLS and curl.
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "token-probe",
                "TestSupport", "SessionTestSupport", "BelayCommandLine", "BelaySession", "BelayLaboratory", "BelayTLS",
                "BelayTrust", "BelayCertificates",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
