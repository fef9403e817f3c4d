namespace Workflow.Contracts.Instances;

/// <summary>A line of an instance's history.</summary>
/// <param name="Event">
/// What: <c>started</c>, <c>set</c>, <c>decided</c>, <c>forked</c>, <c>joined</c> (once for each branch),
/// <c>raised</c>, <c>waiting</c>, <c>signalled</c>, <c>timedOut</c>, <c>resumed</c>, <c>attemptFailed</c>,
/// <c>activityFailed</c>, <c>assigned</c>, <c>taskCompleted</c>, <c>returned</c>, <c>callFailed</c>, <c>chosen</c> (the
/// first event came), <c>interrupted</c> and <c>branched</c> (an event at a boundary came), <c>entered</c> and
/// <c>left</c> (a sub-process), <c>stepFailed</c> (a step inside has, beside <c>activityFailed</c> and
/// <c>callFailed</c>) and <c>caught</c> (by the sub-process), <c>completed</c>, <c>failed</c>, <c>cancelled</c>;
/// without a step also <c>suspended</c>, <c>resumed</c> and <c>retried</c>, which were asked for; <c>stepsTruncated</c>
/// as line 500, after which set, decided, forked, joined, raised, entered and left are left out; <c>truncated</c> as
/// the last of 1,001.
/// </param>
/// <param name="Detail">
/// Signal, activity, assignee, called instance, error, the variable set, the event raised, the variables that a retry
/// brought and the step that was chosen for it, or the steps that it goes on with after a decision, an inclusive fork
/// or an event, into or out of a sub-process.
/// </param>
public sealed record HistoryEntry(DateTimeOffset AtUtc, string Event, string? Step = null, string? Detail = null);
