namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// The innermost fork or sub-process around a step, with those around it. There is one object for each fork or
/// sub-process.
/// </summary>
/// <param name="Join">The join of the fork; null for a sub-process.</param>
internal sealed record StepScope(string Owner, string? Join, StepScope? Around)
{
    /// <summary>The innermost sub-process; null if there is none.</summary>
    public string? SubProcess { get; } = Join is null ? Owner : Around?.SubProcess;
}
