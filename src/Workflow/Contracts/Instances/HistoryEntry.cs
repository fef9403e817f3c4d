namespace Workflow.Contracts.Instances;

/// <summary>A line of an instance's history.</summary>
/// <param name="AtUtc">When (UTC).</param>
/// <param name="Event">What: <c>started</c>, <c>entered</c>, <c>waiting</c>, <c>signalled</c>, <c>timedOut</c>, <c>resumed</c>, <c>assigned</c>, <c>taskCompleted</c>, <c>returned</c>, <c>callFailed</c>, <c>completed</c>, <c>failed</c>, <c>cancelled</c>, <c>truncated</c>.</param>
/// <param name="Step">Where.</param>
/// <param name="Detail">Signal, activity, assignee, called instance or error.</param>
public sealed record HistoryEntry(DateTimeOffset AtUtc, string Event, string? Step = null, string? Detail = null);
