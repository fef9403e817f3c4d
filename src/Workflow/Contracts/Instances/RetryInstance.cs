namespace Workflow.Contracts.Instances;

/// <summary>Body of <c>POST /instances/{id}/retry</c>, which may be left out.</summary>
public sealed record RetryInstance
{
    /// <summary>
    /// A JSON object: each member becomes a variable before the instance goes on. The others stay as they are.
    /// </summary>
    public JsonElement? Variables { get; init; }

    /// <summary>
    /// The step at which the failed token continues: one of the <c>retrySteps</c> of the instance. Null (the default)
    /// for where it stopped.
    /// </summary>
    public string? Step { get; init; }
}
