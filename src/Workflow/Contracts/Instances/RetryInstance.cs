namespace Workflow.Contracts.Instances;

/// <summary>Body of <c>POST /instances/{id}/retry</c>, which may be left out.</summary>
public sealed record RetryInstance
{
    /// <summary>
    /// A JSON object: each member becomes a variable before the instance goes on. The others stay as they are.
    /// </summary>
    public JsonElement? Variables { get; init; }
}
