namespace PerformanceTesting.Subjects;

/// <summary>
/// The phases, in the spelling of the published results. Those that begin with the publish overlap with it and do not
/// add up.
/// </summary>
public static class PhaseNames
{
    /// <summary>Start sent to start durable.</summary>
    public const string Start = "start";

    /// <summary>Signal sent to signal durable.</summary>
    public const string SignalPublish = "signalPublish";

    /// <summary>Just before the publish to the first line of the completion's consumer callback.</summary>
    public const string SignalToFirstCompletion = "signalToFirstCompletion";

    /// <summary>
    /// Just before the publish to the moment the whole batch is idle: as the published results have it, the harness's
    /// wait included.
    /// </summary>
    public const string SignalToCompletion = "signalToCompletion";

    /// <summary>Last completion to idle, once a batch.</summary>
    public const string DrainToIdle = "drainToIdle";

    /// <summary>Start sent to completion seen, where an instance ends within its start.</summary>
    public const string StartToCompletion = "startToCompletion";

    /// <summary>One question for the state of an instance: as many samples as were asked.</summary>
    public const string Poll = "poll";

    /// <summary>Due time to completion seen, of delayed signals.</summary>
    public const string DueToCompletion = "dueToCompletion";

    /// <summary>
    /// A node killed to the first completion that another node executed in a lane of it: one sample for each of its
    /// lanes.
    /// </summary>
    public const string Takeover = "takeover";
}
