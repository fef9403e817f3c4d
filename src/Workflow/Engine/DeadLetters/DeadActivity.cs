namespace Workflow.Engine.DeadLetters;

/// <summary>The payload of a dead activity result: what the activity returned, or why it failed.</summary>
internal sealed record DeadActivity(
    Guid InstanceId, Guid WaitId, string Step, string Activity, JsonElement? Result, string? Failure, bool IsFinal,
    string? Code = null);
