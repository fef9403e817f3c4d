namespace Workflow.Engine.Timers;

internal static class DueTimes
{
    /// <summary>The earlier of two times, of which each may be absent; null if both are.</summary>
    public static DateTimeOffset? Earlier(DateTimeOffset? one, DateTimeOffset? other) =>
        one is null || other < one ? other ?? one : one;
}
