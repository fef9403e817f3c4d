namespace Workflow.Engine.DeadLetters;

internal sealed record DeadTimer(Guid InstanceId, Guid WaitId, string Step, DateTimeOffset DueUtc);
