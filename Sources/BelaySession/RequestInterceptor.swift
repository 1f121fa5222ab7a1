/// Looks at requests on their way out, and at failures on their way back.
///
/// ```swift
/// struct TokenInterceptor: RequestInterceptor {
///     let tokens: TokenStore
///
///     func adapt(_ request: Request) async throws -> Request {
///         var request = request
///         try request.headers.set("Authorization", "Bearer \(await tokens.current)")
///         return request
///     }
/// }
/// ```
public protocol RequestInterceptor: Sendable {
    /// Changes a request before it is sent, or throws to stop it.
    func adapt(_ request: Request) async throws -> Request

    /// Whether a request that failed is tried again.
    ///
    /// - Parameters:
    ///   - request: the request as it was given to the session.
    ///   - error: why it failed.
    ///   - attempt: how often it has been tried, 1 after the first time. After ``Session/maximumAttempts`` nobody is asked.
    func retries(_ request: Request, after error: SessionError, attempt: Int) async -> Bool
}

extension RequestInterceptor {
    /// Leaves the request as it is.
    public func adapt(_ request: Request) async throws -> Request { request }

    /// Does not try again.
    public func retries(_ request: Request, after error: SessionError, attempt: Int) async -> Bool { false }
}
