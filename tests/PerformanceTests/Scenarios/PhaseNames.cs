namespace PerformanceTests.Scenarios;

/// <summary>The phases, in the seed's spelling. Those that begin with the publish overlap with it and do not add up.</summary>
public static class PhaseNames
{
    /// <summary>Start sent to start durable.</summary>
    public const string Start = "start";

    /// <summary>Signal sent to signal durable.</summary>
    public const string SignalPublish = "signalPublish";

    /// <summary>Just before the publish to the first line of the completion's consumer callback.</summary>
    public const string SignalToFirstCompletion = "signalToFirstCompletion";

    /// <summary>Just before the publish to the moment the whole wave is idle: as the seed measured it, the harness's wait included.</summary>
    public const string SignalToCompletion = "signalToCompletion";

    /// <summary>Last completion to idle, once a wave.</summary>
    public const string DrainToIdle = "drainToIdle";

    /// <summary>Start sent to completion seen, where an instance ends within its start.</summary>
    public const string StartToCompletion = "startToCompletion";

    /// <summary>Due time to completion seen, of delayed signals.</summary>
    public const string DueToCompletion = "dueToCompletion";
}
