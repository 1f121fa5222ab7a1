import Foundation

/// How processes are started here.
package enum Launch {
    /// One at a time: descriptors that Foundation makes for one child would be inherited by another that is started in the same
    /// moment, and the end of the first would go unnoticed until the other ends.
    private static let oneAtATime = NSLock()

    package static func run(_ process: Process) throws {
        try oneAtATime.withLock {
            // Children inherit the thread's mask, and threads that run tasks block signals: SIGTERM would never reach them.
            var none = sigset_t()
            var old = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &old)
            defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
            try process.run()
        }
    }

    /// Starts a program, waits for its end, and returns its status; a signal counts as 128 and its number.
    static func runToEnd(_ command: [String], _ files: Tool.Files) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, files.input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, files.output, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, files.errors, O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let failure = oneAtATime.withLock {
            posix_spawnp(&process, command.first ?? "", &actions, nil, &arguments, environ)
        }
        guard failure == 0 else {
            throw Tool.Failed(description: "\(command.first ?? ""): \(String(cString: strerror(failure)))")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Tool.Failed(description: "waitpid: \(String(cString: strerror(errno)))") }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }
}
