namespace Workflow.Contracts.Instances;

/// <summary>An incident: what stopped an instance, and where.</summary>
/// <param name="Message">What went wrong, with the values concerned.</param>
/// <param name="Step">The step.</param>
/// <param name="Expression">The expression, when one is to blame.</param>
public sealed record InstanceError(string Message, string? Step, string? Expression = null);
