namespace Workflow.Contracts.Instances;

/// <summary>An incident: what stopped an instance, and where.</summary>
/// <param name="Expression">The expression, when one is to blame.</param>
/// <param name="Code">
/// What kind of error it is, as the <c>fail</c> step or the activity says; absent where they say nothing.
/// </param>
public sealed record InstanceError(string Message, string? Step, string? Expression = null, string? Code = null);
