namespace LoadTesting.Core.Load.Simulations;

/// <summary>Load by copies that each start their next iteration when the one before has ended.</summary>
public abstract record ClosedSimulation : LoadSimulation
{
    private protected ClosedSimulation(int copies, TimeSpan? plannedDuration)
        : base(LoadModel.Closed, plannedDuration) => Copies = copies;

    /// <summary>Number of iterations in flight; for a ramp at its end.</summary>
    public int Copies { get; }
}
