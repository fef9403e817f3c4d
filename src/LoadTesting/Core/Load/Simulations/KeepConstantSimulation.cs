namespace LoadTesting.Core.Load.Simulations;

/// <summary>Closed model: see <see cref="Simulation.KeepConstant"/>.</summary>
public sealed record KeepConstantSimulation : ClosedSimulation
{
    internal KeepConstantSimulation(int copies, TimeSpan during)
        : base(copies, during) => During = during;

    public TimeSpan During { get; }

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"keep constant {Copies} for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new KeepConstantSimulation(Copies, duration);
}
