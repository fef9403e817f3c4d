namespace LoadTesting.Core.Load.Events;

internal enum EventState
{
    /// <summary>Registered; no event yet.</summary>
    Waiting,

    /// <summary>Event seen; not registered yet.</summary>
    Early,

    /// <summary>Both; remembered to recognise duplicates.</summary>
    Matched,

    /// <summary>Timed out; remembered to recognise late events.</summary>
    Lost,

    /// <summary>Timed out, and then the event came; remembered to recognise duplicates.</summary>
    Late,

    /// <summary>Given up; remembered to recognise events that arrive anyway.</summary>
    Withdrawn,
}
