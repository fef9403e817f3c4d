namespace LoadTesting.Core.Load;

/// <summary>Load on a schedule of arrivals that is known before the run and lasts a known time.</summary>
public abstract record OpenSimulation : LoadSimulation
{
    private protected OpenSimulation(TimeSpan interval, TimeSpan during)
        : base(LoadModel.Open, during) => (Interval, During) = (interval, during);

    /// <summary>The time that rates refer to.</summary>
    public TimeSpan Interval { get; }

    /// <summary>How long the schedule lasts.</summary>
    public TimeSpan During { get; }

    /// <summary>The mean time between two arrivals.</summary>
    internal abstract TimeSpan MeanGap { get; }

    /// <summary>The rate when the schedule ends, from which a ramp goes on.</summary>
    internal abstract ArrivalRate EndRate { get; }
}
