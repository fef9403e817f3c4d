namespace PerformanceTesting.Backends;

/// <summary>The outcome of one way to get a server: the server, or the reason to try the next one.</summary>
public sealed record ProvisionOutcome
{
    private ProvisionOutcome(BackendServer? server, string? refusal)
    {
        Server = server;
        Refusal = refusal;
    }

    /// <summary>The mode that was tried; never <see cref="ProvisionMode.Auto"/>.</summary>
    public ProvisionMode Mode { get; internal init; }

    public BackendServer? Server { get; }
    public string? Refusal { get; }

    public static ProvisionOutcome Of(BackendServer server) => new(server, null);

    /// <param name="refusal">What is missing, and the places that were searched.</param>
    public static ProvisionOutcome Refused(string refusal) => new(null, refusal);

    public override string ToString() => $"{Mode.ToString().ToLowerInvariant()}: {Server?.Description ?? Refusal}";
}
