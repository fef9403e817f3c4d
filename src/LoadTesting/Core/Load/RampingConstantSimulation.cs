using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>Closed model of a number of copies that rises or falls: see <see cref="Simulation.RampingConstant"/>.</summary>
public sealed record RampingConstantSimulation : ClosedSimulation
{
    internal RampingConstantSimulation(int fromCopies, int copies, TimeSpan during)
        : base(copies, during) => (FromCopies, During) = (fromCopies, during);

    /// <summary>Copies when the ramp begins: those of the simulation before it, else 0.</summary>
    public int FromCopies { get; }

    /// <summary>How long the ramp lasts.</summary>
    public TimeSpan During { get; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"ramping constant from {FromCopies} to {Copies} for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new RampingConstantSimulation(FromCopies, Copies, duration);

    internal override LoadSimulation After(LoadSimulation? previous) =>
        new RampingConstantSimulation((previous as ClosedSimulation)?.Copies ?? 0, Copies, During);
}
