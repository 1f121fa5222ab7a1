import BelayCertificates
import Foundation
import Testing

@Suite("Folders of certificates")
struct CertificateFolderTests {
    private let world: World.Members
    private let folder: TemporaryFolder

    init() throws {
        world = try World.ecdsa.get()
        folder = try TemporaryFolder()
    }

    @Test("The certificates of .cer, .crt, .der and .pem files are read by name, each once")
    func readsAll() throws {
        let (leaf, intermediate, root) = (
            world.server.certificate, world.intermediate.certificate, world.root.certificate
        )
        try folder.write("b.pem", intermediate.pem + root.pem)
        try folder.write("a.CER", leaf.der)
        try folder.write("c.crt", root.der)
        try folder.write("d.der", leaf.pem)
        try folder.write("README.md", "The pins of host.test.")
        try folder.write(".hidden.cer", "not a certificate")
        try folder.write("key.txt", "not a certificate")
        try FileManager.default.createDirectory(atPath: folder("old.cer"), withIntermediateDirectories: false)
        #expect(try Certificate.readAll(inFolder: folder.path) == [leaf, intermediate, root])
        #expect(try Certificate.readAll(inFolder: folder.path + "/") == [leaf, intermediate, root])
    }

    @Test("A text file named pin.cer among good ones is an error that names it")
    func namesBadFile() throws {
        try folder.write("a.cer", world.root.certificate.der)
        try folder.write("pin.cer", "put the pin of host.test here\n")
        try folder.write("z.cer", world.server.certificate.der)
        let expected = CertificateFileError(
            file: folder("pin.cer"), problem: .notACertificate(found: "text without a block of PEM"))
        #expect(throws: expected) { try Certificate.readAll(inFolder: folder.path) }
    }

    @Test("A folder without certificates, a missing one and a file are errors that name it")
    func refusesNothing() throws {
        let file = try folder.write("notes.txt", "nothing")
        #expect(throws: CertificateFileError(file: folder.path, problem: .emptyFolder)) {
            try Certificate.readAll(inFolder: folder.path)
        }
        #expect(throws: CertificateFileError(file: file, problem: .unreadable(.isNotFolder))) {
            try Certificate.readAll(inFolder: file)
        }
        let missing = folder("missing")
        #expect(
            throws: CertificateFileError(
                file: missing, problem: .unreadable(.refused("No such file or directory")))
        ) {
            try Certificate.readAll(inFolder: missing)
        }
    }
}
