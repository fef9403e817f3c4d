namespace LoadTesting.Core.Load.Events;

internal enum EventState
{
    /// <summary>Registered; no event yet.</summary>
    Waiting,

    /// <summary>Event seen; not registered yet.</summary>
    Early,

    /// <summary>Both; remembered to tell duplicates.</summary>
    Matched,

    /// <summary>Timed out; remembered to tell late events.</summary>
    Lost,

    /// <summary>Timed out, and then the event came; remembered to tell duplicates.</summary>
    Late,

    /// <summary>Given up; remembered to tell events that came all the same.</summary>
    Withdrawn,
}
