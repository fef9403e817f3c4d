namespace UnitTests.Workflow.Simulation;

/// <summary>A request, with its repeats.</summary>
internal sealed record Request(int Number, RequestKind Kind)
{
    private readonly List<Attempt> _attempts = [];

    /// <summary>Stands in the request's input or payload and nowhere else, so that its effects can be found.</summary>
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
        $"{Kind} {Number} ({Definition}{Key}{Target}): "
            + string.Join(", ", _attempts.Select(a => $"{a.Outcome} {a.Id} {a.Text}"));
}
