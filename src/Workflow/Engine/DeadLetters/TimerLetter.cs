namespace Workflow.Engine.DeadLetters;

/// <summary>The payload of a dead timer.</summary>
internal sealed record TimerLetter(Guid InstanceId, Guid WaitId, string Step, DateTimeOffset DueUtc);
