namespace UnitTests.Workflow.Simulation;

/// <summary>What clients asked for and were answered.</summary>
internal sealed class History
{
    private readonly List<Request> _requests = [];

    public IReadOnlyList<Request> Requests => _requests;

    /// <summary>Activities that were called, by what they were called with.</summary>
    public HashSet<string> Called { get; } = [];

    /// <summary>Ids of published events, in order.</summary>
    public List<string> Published { get; } = [];

    public Request Add(RequestKind kind, string? key = null, string? idempotencyKey = null, Guid? target = null, string? definition = null)
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

/// <summary>A request, with its repeats.</summary>
internal sealed record Request(int Number, RequestKind Kind)
{
    private readonly List<Attempt> _attempts = [];

    /// <summary>Stands in the request's input or payload and nowhere else: what comes of it is found by it.</summary>
    public string Token => $"_{Number}_";

    public string? Key { get; init; }
    public string? IdempotencyKey { get; init; }
    public Guid? Target { get; init; }
    public string? Definition { get; init; }
    public IReadOnlyList<Attempt> Attempts => _attempts;
    public int Acknowledged => _attempts.Count(a => a.Outcome == Outcome.Acknowledged);
    public int Unknown => _attempts.Count(a => a.Outcome == Outcome.Unknown);
    /// <summary>Acknowledged as done by this very request, and not by an earlier or a simultaneous one.</summary>
    public int Effective => _attempts.Count(a => a is { Outcome: Outcome.Acknowledged, IsDuplicate: false });

    public IEnumerable<Guid> Ids => _attempts.Where(a => a.Outcome == Outcome.Acknowledged).Select(a => a.Id);

    /// <summary>How many effects it may have: a key allows one.</summary>
    public (int Least, int Most) Effects => IdempotencyKey is null
        ? (Acknowledged, Acknowledged + Unknown)
        : (Math.Min(1, Acknowledged), Math.Min(1, Acknowledged + Unknown));

    public void Add(Attempt attempt) => _attempts.Add(attempt);

    public override string ToString() =>
        $"{Kind} {Number} ({Definition}{Key}{Target}): " + string.Join(", ", _attempts.Select(a => $"{a.Outcome} {a.Id} {a.Text}"));
}

internal enum RequestKind
{
    Start,
    Signal,
    SignalToInstance,
    Cancel,
    Complete,
    Suspend,
    Resume,
    Retry,
}

/// <param name="Life">Which life of which node was asked.</param>
/// <param name="Id">What was acknowledged: an instance, a signal or a task.</param>
/// <param name="Text">Why it was not acknowledged.</param>
internal sealed record Attempt(int Life, DateTimeOffset Invoked, DateTimeOffset Answered, Outcome Outcome, Guid Id, string Text)
{
    /// <summary>Whether the node had the lane of the key when it was asked and when it answered: null if only at one of them.</summary>
    public bool? IsByOwner { get; init; }

    /// <summary>Whether the answer says that nothing was changed.</summary>
    public bool IsDuplicate { get; init; }
}

internal enum Outcome
{
    /// <summary>It has its effect.</summary>
    Acknowledged,

    /// <summary>It has none.</summary>
    Refused,

    /// <summary>It may have its effect, or have it later.</summary>
    Unknown,
}
