import FoundationEssentials

extension Session {
    /// Asks for a resource.
    ///
    /// ```swift
    /// let response = try await session.get("search", parameters: ["q": "red shoes"])
    /// ```
    public func get(
        _ url: String, parameters: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(SessionError) -> Response {
        try await send(.get(url, parameters: parameters, headers: headers))
    }

    /// Asks for a resource that is JSON, and decodes it.
    ///
    /// ```swift
    /// let user = try await session.get("users/1", as: User.self)
    /// ```
    ///
    /// - Throws: ``SessionError``; content of another type, and content that is no `Value`, are
    ///   ``SessionError/Reason/rejected(_:)``, with the response.
    public func get<Value: Decodable & Sendable>(
        _ url: String, parameters: Parameters = [:], headers: HTTPHeaders = [:], as type: Value.Type
    ) async throws(SessionError) -> Value {
        try await send(.get(url, parameters: parameters, headers: headers), as: type)
    }

    /// Asks for the header of a resource.
    public func head(
        _ url: String, parameters: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(SessionError) -> Response {
        try await send(.head(url, parameters: parameters, headers: headers))
    }

    /// Has a resource process a body.
    public func post(
        _ url: String, body: RequestBody = .none, headers: HTTPHeaders = [:]
    ) async throws(SessionError) -> Response {
        try await send(.post(url, body: body, headers: headers))
    }

    /// Has a resource process a form.
    public func post(
        _ url: String, parameters: Parameters, headers: HTTPHeaders = [:]
    ) async throws(SessionError) -> Response {
        try await send(.post(url, parameters: parameters, headers: headers))
    }

    /// Has a resource process a body, and decodes the JSON that it answers.
    ///
    /// ```swift
    /// let created = try await session.post("users", body: .json(draft), as: User.self)
    /// ```
    public func post<Value: Decodable & Sendable>(
        _ url: String, body: RequestBody, headers: HTTPHeaders = [:], as type: Value.Type
    ) async throws(SessionError) -> Value {
        try await send(.post(url, body: body, headers: headers), as: type)
    }

    /// Puts a body in a resource's place.
    public func put(
        _ url: String, body: RequestBody = .none, headers: HTTPHeaders = [:]
    ) async throws(SessionError) -> Response {
        try await send(.put(url, body: body, headers: headers))
    }

    /// Puts a body in a resource's place, and decodes the JSON that it answers.
    public func put<Value: Decodable & Sendable>(
        _ url: String, body: RequestBody, headers: HTTPHeaders = [:], as type: Value.Type
    ) async throws(SessionError) -> Value {
        try await send(.put(url, body: body, headers: headers), as: type)
    }

    /// Changes a resource.
    public func patch(
        _ url: String, body: RequestBody = .none, headers: HTTPHeaders = [:]
    ) async throws(SessionError) -> Response {
        try await send(.patch(url, body: body, headers: headers))
    }

    /// Changes a resource, and decodes the JSON that it answers.
    public func patch<Value: Decodable & Sendable>(
        _ url: String, body: RequestBody, headers: HTTPHeaders = [:], as type: Value.Type
    ) async throws(SessionError) -> Value {
        try await send(.patch(url, body: body, headers: headers), as: type)
    }

    /// Removes a resource.
    public func delete(
        _ url: String, parameters: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(SessionError) -> Response {
        try await send(.delete(url, parameters: parameters, headers: headers))
    }

    /// Sends a request and decodes the JSON that comes back.
    ///
    /// A request that does not say which types are fine gets `Accept: application/json` and takes only JSON. Where the response
    /// may have no content, ask for an optional, or for ``NoContent``.
    ///
    /// - Throws: ``SessionError``; content of another type, and content that is no `Value`, are
    ///   ``SessionError/Reason/rejected(_:)``, with the response.
    public func send<Value: Decodable & Sendable>(
        _ request: Request, as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        var request = request
        if !request.headers.contains("Accept") { request.headers["Accept"] = "application/json" }
        request.acceptance =
            request.acceptance
            ?? ResponseAcceptance(
                statusCodes: configuration.acceptance.statusCodes, contentTypes: ResponseAcceptance.json.contentTypes)
        let response = try await send(request)
        do throws(ResponseRejection) {
            return try response.json(as: type, decoder: decoder)
        } catch {
            throw SessionError(
                method: request.method.rawValue, url: Exchange.place(of: response), phase: .receive,
                reason: .rejected(error))
        }
    }
}
