namespace LoadTesting.Core.Load.Simulations;

/// <summary>Load on a schedule of arrivals that is known before the run and lasts a known time.</summary>
public abstract record OpenSimulation : LoadSimulation
{
    private protected OpenSimulation(TimeSpan interval, TimeSpan during)
        : base(LoadModel.Open, during) => (Interval, During) = (interval, during);

    /// <summary>The time that rates refer to.</summary>
    public TimeSpan Interval { get; }

    public TimeSpan During { get; }

    /// <summary>
    /// The arrivals that this process makes: those with number <c>Index</c> modulo <c>Of</c>. Default: all.
    /// </summary>
    internal (int Index, int Of) Share { get; init; } = (0, 1);

    /// <summary>The mean time between two arrivals of the whole load, not of a share.</summary>
    internal abstract TimeSpan MeanGap { get; }

    /// <summary>The rate at the end of the schedule, from which a following ramp starts.</summary>
    internal abstract ArrivalRate EndRate { get; }
}
