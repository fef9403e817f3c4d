namespace Workflow.Contracts.Instances;

/// <summary>An incident: what stopped an instance, and where.</summary>
/// <param name="Expression">The expression that caused the error; absent if none did.</param>
/// <param name="Code">The error code that the <c>fail</c> step or the activity gave; absent if it gave none.</param>
public sealed record InstanceError(string Message, string? Step, string? Expression = null, string? Code = null);
