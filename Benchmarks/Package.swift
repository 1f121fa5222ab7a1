// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that the project proper neither builds nor tests it. `make bench` builds and runs it.
let package = Package(
    name: "belay-benchmarks",
    // Named, since the folder above may be called anything.
    dependencies: [.package(name: "belay", path: "..")],
    targets: [
        // What Belay is compared with: the same jobs in C, straight on OpenSSL.
        .target(name: "CPeers", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        // Measures whole programs.
        .executableTarget(name: "MeasuredRun"),
        // Programs that keep requests under way; those in C and Go are in Peers.
        .target(name: "Load"),
        .executableTarget(name: "URLSessionPeer", dependencies: ["Load"]),
        .executableTarget(
            name: "SessionLoad",
            dependencies: [
                "Load",
                .product(name: "BelayCertificates", package: "belay"),
                .product(name: "BelayTrust", package: "belay"),
                .product(name: "BelaySession", package: "belay"),
            ]),
        .executableTarget(
            name: "BelayBenchmarks",
            dependencies: [
                "CPeers",
                .product(name: "BelayCertificates", package: "belay"),
                .product(name: "BelayTrust", package: "belay"),
                .product(name: "BelayTLS", package: "belay"),
                .product(name: "BelaySession", package: "belay"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
