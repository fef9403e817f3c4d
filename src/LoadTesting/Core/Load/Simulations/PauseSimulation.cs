namespace LoadTesting.Core.Load.Simulations;

/// <summary>A time without starts: see <see cref="Simulation.Pause"/>.</summary>
public sealed record PauseSimulation : LoadSimulation
{
    internal PauseSimulation(TimeSpan during)
        : base(null, during) => During = during;

    public TimeSpan During { get; }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"pause for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new PauseSimulation(duration);
}
