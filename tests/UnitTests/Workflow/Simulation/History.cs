namespace UnitTests.Workflow.Simulation;

/// <summary>The requests of clients and their answers.</summary>
internal sealed class History
{
    private readonly List<Request> _requests = [];

    public IReadOnlyList<Request> Requests => _requests;

    /// <summary>Calls of activities by their input.</summary>
    public HashSet<string> Called { get; } = [];

    /// <summary>Ids of published events, in order.</summary>
    public List<string> Published { get; } = [];

    public Request Add(RequestKind kind, string? key = null, string? idempotencyKey = null, Guid? target = null,
        string? definition = null)
    {
        var request = new Request(_requests.Count + 1, kind)
        {
            Key = key,
            IdempotencyKey = idempotencyKey,
            Target = target,
            Definition = definition,
        };
        _requests.Add(request);
        return request;
    }
}
