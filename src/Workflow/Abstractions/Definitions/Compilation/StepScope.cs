namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// Inside what a step runs: the innermost fork or sub-process, and those around it. One object per fork or sub-process.
/// </summary>
/// <param name="Join">The join of the fork; null of a sub-process.</param>
internal sealed record StepScope(string Owner, string? Join, StepScope? Around)
{
    /// <summary>The innermost sub-process; null outside of every one.</summary>
    public string? SubProcess { get; } = Join is null ? Owner : Around?.SubProcess;
}
