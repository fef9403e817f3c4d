namespace LoadTesting.Core.Load;

/// <summary>Load by a number of copies that each start their next iteration when the one before has ended.</summary>
public abstract record ClosedSimulation : LoadSimulation
{
    private protected ClosedSimulation(int copies, TimeSpan? plannedDuration)
        : base(LoadModel.Closed, plannedDuration) => Copies = copies;

    /// <summary>Iterations in flight at any time; of a ramp, those at its end.</summary>
    public int Copies { get; }
}
