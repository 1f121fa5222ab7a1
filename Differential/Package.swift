// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that the project proper neither builds nor tests it. `make differential` builds and runs it.
let package = Package(
    name: "belay-differential",
    // Named, since the folder above may be called anything.
    dependencies: [.package(name: "belay", path: "..")],
    targets: [
        // X509_verify_cert, in this process.
        .target(name: "COpenSSLVerifier", linkerSettings: [.linkedLibrary("crypto")]),
        // The same sources as the target `Mutation` of the project proper, whose tests mutate too. A module has to have
        // another name than those of the packages that it is built with.
        .target(
            name: "ChainMutation", dependencies: [.product(name: "BelayCertificates", package: "belay")],
            path: "Sources/Mutation"),
        .executableTarget(
            name: "Differential",
            dependencies: [
                "ChainMutation", "COpenSSLVerifier",
                .product(name: "BelayCertificates", package: "belay"),
                .product(name: "BelayTrust", package: "belay"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
