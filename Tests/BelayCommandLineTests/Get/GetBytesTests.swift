import BelayLaboratory
import BelayTLS
import Foundation
import SessionTestSupport
import Testing

@Suite("belay get: bytes that are no UTF-8")
struct GetBytesTests {
    @Test("data in a query arrives byte for byte, as curl sends it")
    func query() async throws {
        let site = try GetSite()
        let folder = try Folder()
        // é in Latin-1, and in UTF-8.
        let file = try folder.write("latin-1-query", Array("q=caf".utf8) + [0xE9, 0x26] + Array("r=é".utf8))
        #expect(try await site.curl(["-G", "-d", "@" + file]).status == 0)
        let run = try await site.get("-G", "-d", "@" + file)
        #expect(run.status == 0, "\(run.errors)")
        #expect(await site.server.requests.last?.target == "/path?page=1&q=caf%E9&r=%C3%A9")
        await site.server.stop()
    }

    @Test(
        "a file of header fields, cookies or a password is refused by name, with the place of the byte, and nothing goes out",
        arguments: [
            (["-H"], "X-A: 1\r\nX-Name: caf", 19), (["-b"], "name=caf", 8),
            (["-u", "ada", "--password-file"], "caf", 3),
        ])
    func refused(_ options: [String], _ text: String, _ offset: Int) async throws {
        let site = try GetSite()
        let folder = try Folder()
        let file = try folder.write("latin-1-\(offset)", Array(text.utf8) + [0xE9, 0x0A])
        let isPassword = options.contains("-u")
        let run = try await site.get(options + [isPassword ? file : "@" + file])
        #expect(run.status == 3 && run.errors.contains("\(file): the byte at offset \(offset) is not UTF-8"), "\(run)")
        #expect(!run.errors.contains("caf") && site.server.statistics.connections == 0)
        await site.server.stop()
    }
}
