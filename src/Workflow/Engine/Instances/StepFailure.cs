namespace Workflow.Engine.Instances;

/// <param name="What">The name of the failure in the history if a sub-process handles the error.</param>
/// <param name="IsLimit">Whether the instance fails even if a sub-process handles errors.</param>
internal sealed record StepFailure(InstanceError Error, string What, bool IsLimit = false);
