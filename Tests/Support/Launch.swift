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
        end(of: try start(command, files))
    }

    /// Starts a program.
    ///
    /// Foundation's `Process` copies the names of the open descriptors past their end, which ends the tests once in some
    /// thousand programs. So the system is called instead.
    ///
    /// - Parameters:
    ///   - input: a descriptor to read from; the file of `files` when nil.
    ///   - environment: the program's whole environment; the tests' own when nil.
    static func start(
        _ command: [String], _ files: Tool.Files, input: Int32? = nil, environment: [String: String]? = nil
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, files.input, O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, files.output, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, files.errors, O_WRONLY, 0)

        // Descriptors that other tests have open at this moment are none of the program's business.
        for descriptor in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }

        // Children inherit the thread's mask, and threads that run tasks block signals: SIGTERM would never reach them.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? [:]).map { strdup("\($0)=\($1)") } + [nil]
        defer { for variable in variables { free(variable) } }
        var process = pid_t()
        let failure = oneAtATime.withLock {
            environment == nil
                ? posix_spawnp(&process, command.first ?? "", &actions, &attributes, &arguments, environ)
                : posix_spawnp(&process, command.first ?? "", &actions, &attributes, &arguments, &variables)
        }
        guard failure == 0 else {
            throw Tool.Failed(description: "\(command.first ?? ""): \(String(cString: strerror(failure)))")
        }
        return process
    }

    /// Waits for the end of a program, and returns its status; a signal counts as 128 and its number.
    static func end(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            // Nobody else waits for it.
            guard errno == EINTR else { return 255 }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }
}
