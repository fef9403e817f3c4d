namespace UnitTests.Workflow.Simulation;

/// <summary>What goes wrong between a node and its store, in tenths of a percent of the calls.</summary>
internal sealed record FaultRates
{
    /// <summary>The call fails and has no effect.</summary>
    public int LostCalls { get; init; }

    /// <summary>The call has its effect, and its answer is lost.</summary>
    public int LostAnswers { get; init; }

    /// <summary>The call fails, and has its effect some time after.</summary>
    public int LateEffects { get; init; }

    /// <summary>A flush reaches the server twice.</summary>
    public int DoubledFlushes { get; init; }

    /// <summary>The flush is refused as stale or as a conflict though it is neither.</summary>
    public int StaleFlushes { get; init; }

    /// <summary>The call or its answer takes up to seconds.</summary>
    public int SlowCalls { get; init; }

    /// <summary>A notification between nodes is lost.</summary>
    public int LostNotifications { get; init; }

    /// <summary>Rate at which a request between nodes is refused, lost, late or doubled, or loses its answer.</summary>
    public int PeerFaults { get; init; }
}
