// swift-tools-version: 6.1
import PackageDescription

// A package of its own: libFuzzer brings the main function, so nothing here links without `--sanitize=fuzzer`,
// and `swift build` of the project proper must not meet it. `make fuzz` builds and runs these.
func fuzzer(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["FuzzingSupport", .product(name: "BelayCertificates", package: "belay")])
}

// A fuzzer of what verdicts are made from.
func trustFuzzer(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            "FuzzingSupport", "FuzzingChains", .product(name: "BelayCertificates", package: "belay"),
            .product(name: "BelayTrust", package: "belay"),
        ])
}

// A fuzzer of what an app's Info.plist is read with.
func transportSecurityFuzzer(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            "FuzzingSupport", .product(name: "BelayTransportSecurity", package: "belay"),
            .product(name: "BelayTrust", package: "belay"),
        ])
}

let package = Package(
    name: "belay-fuzzing",
    // Named, since the folder above may be called anything.
    dependencies: [.package(name: "belay", path: "..")],
    targets: [
        .target(name: "FuzzingSupport"),
        .target(
            name: "FuzzingChains",
            dependencies: [
                "FuzzingSupport", .product(name: "BelayCertificates", package: "belay"),
                .product(name: "BelayTrust", package: "belay"),
            ]),
        fuzzer("DERFuzzer"),
        fuzzer("CertificateFuzzer"),
        fuzzer("PEMFuzzer"),
        fuzzer("FileFuzzer"),
        fuzzer("PKCS12Fuzzer"),
        fuzzer("RequestFuzzer"),
        fuzzer("KeyStoreFuzzer"),
        trustFuzzer("RevocationListFuzzer"),
        trustFuzzer("NameFuzzer"),
        trustFuzzer("ConstraintFuzzer"),
        trustFuzzer("CaseFuzzer"),
        trustFuzzer("PolicyFuzzer"),
        transportSecurityFuzzer("PlistFuzzer"),
        transportSecurityFuzzer("TransportSecurityFuzzer"),
        .executableTarget(
            name: "StartTLSFuzzer", dependencies: ["FuzzingSupport", .product(name: "BelayTLS", package: "belay")]),
        .executableTarget(
            name: "LintFuzzer",
            dependencies: [
                "FuzzingSupport", .product(name: "BelayLint", package: "belay"),
                .product(name: "BelayTransportSecurity", package: "belay"),
                .product(name: "BelayTrust", package: "belay"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
