namespace PerformanceTesting.Backends;

/// <summary>The outcome of one mode: the server, or the reason to try the next mode.</summary>
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

    /// <param name="refusal">What is missing, and the places that were searched.</param>
    public static ProvisionOutcome Refused(string refusal) => new(null, refusal);
}
