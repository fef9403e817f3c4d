namespace LoadTesting.Core.Load.Simulations;

/// <summary>
/// Closed model with a linearly changing number of copies: see <see cref="Simulation.RampingConstant"/>.
/// </summary>
public sealed record RampingConstantSimulation : ClosedSimulation
{
    internal RampingConstantSimulation(int fromCopies, int copies, TimeSpan during)
        : base(copies, during) => (FromCopies, During) = (fromCopies, during);

    /// <summary>Copies at the beginning of the ramp: those of the simulation before, or 0.</summary>
    public int FromCopies { get; }

    public TimeSpan During { get; }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"ramping constant from {FromCopies} to {Copies} for {During}");

    internal override LoadSimulation For(TimeSpan duration) =>
        new RampingConstantSimulation(FromCopies, Copies, duration);

    internal override LoadSimulation After(LoadSimulation? previous) =>
        new RampingConstantSimulation((previous as ClosedSimulation)?.Copies ?? 0, Copies, During);
}
