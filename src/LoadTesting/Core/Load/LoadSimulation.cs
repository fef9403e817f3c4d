namespace LoadTesting.Core.Load;

/// <summary>One stretch of load. Made by <see cref="Simulation"/>.</summary>
public abstract record LoadSimulation
{
    private protected LoadSimulation(LoadModel? model, TimeSpan? plannedDuration) => (Model, PlannedDuration) = (model, plannedDuration);

    /// <summary>Open or closed; null for a pause, which fits either.</summary>
    public LoadModel? Model { get; }

    /// <summary>How long it is to last; null where that follows from a number of iterations and how long each takes.</summary>
    public TimeSpan? PlannedDuration { get; }

    /// <summary>The same kind of load for <paramref name="duration"/>, for the warm-up.</summary>
    internal abstract LoadSimulation For(TimeSpan duration);

    /// <summary>This simulation as it runs when <paramref name="previous"/> has ended (null: it is the first). Only ramps depend on that.</summary>
    internal virtual LoadSimulation After(LoadSimulation? previous) => this;
}
