namespace PerformanceTesting.Backends;

/// <summary>What came of one way to a server: the server, or why this way falls through to the next.</summary>
public sealed record ProvisionOutcome
{
    private ProvisionOutcome(BackendServer? server, string? refusal)
    {
        Server = server;
        Refusal = refusal;
    }

    public BackendServer? Server { get; }

    public string? Refusal { get; }

    public static ProvisionOutcome Of(BackendServer server) => new(server, null);

    /// <param name="refusal">Why, in words: what is missing and where it was looked for.</param>
    public static ProvisionOutcome Refused(string refusal) => new(null, refusal);
}
