namespace LoadTesting.Core.Load;

/// <summary>One section of a load. Created by <see cref="Simulation"/>.</summary>
public abstract record LoadSimulation
{
    private protected LoadSimulation(LoadModel? model, TimeSpan? plannedDuration) =>
        (Model, PlannedDuration) = (model, plannedDuration);

    /// <summary>Open or closed; null for a pause, which is allowed in both.</summary>
    public LoadModel? Model { get; }

    /// <summary>Planned duration; null if it ends after a number of iterations.</summary>
    public TimeSpan? PlannedDuration { get; }

    /// <summary>
    /// Planned duration of consecutive simulations; null if one of them ends after a number of iterations.
    /// </summary>
    internal static TimeSpan? DurationOf(IReadOnlyList<LoadSimulation> simulations) =>
        simulations.All(simulation => simulation.PlannedDuration is not null)
            ? simulations.Aggregate(TimeSpan.Zero, (sum, simulation) => sum + simulation.PlannedDuration!.Value)
            : null;

    /// <summary>The same kind of load for <paramref name="duration"/>, for the warm-up.</summary>
    internal abstract LoadSimulation For(TimeSpan duration);

    /// <summary>
    /// This simulation as it runs after <paramref name="previous"/>, which is null for the first. Only ramps depend on
    /// it.
    /// </summary>
    internal virtual LoadSimulation After(LoadSimulation? previous) => this;

    /// <summary>
    /// The share of one part of the load. The parts take the arrivals of an open simulation in turn, so that together
    /// they make exactly its schedule; of a closed simulation they take copies and iterations in turn.
    /// </summary>
    internal LoadSimulation ShareOf(LoadPart part)
    {
        var (index, of) = (part.Index - 1, part.Of);
        int Turns(int all) => (int)Part(all);
        long Part(long all) => (all - index + of - 1) / of;

        return this switch
        {
            OpenSimulation open => open with { Share = (index, of) },
            KeepConstantSimulation keep => new KeepConstantSimulation(Turns(keep.Copies), keep.During),
            RampingConstantSimulation ramp =>
                new RampingConstantSimulation(Turns(ramp.FromCopies), Turns(ramp.Copies), ramp.During),
            IterationsForConstantSimulation number =>
                new IterationsForConstantSimulation(Turns(number.Copies), Part(number.Iterations)),
            _ => this,
        };
    }
}
