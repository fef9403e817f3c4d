using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>Closed model: see <see cref="Simulation.KeepConstant"/>.</summary>
public sealed record KeepConstantSimulation : ClosedSimulation
{
    internal KeepConstantSimulation(int copies, TimeSpan during)
        : base(copies, during) => During = during;

    /// <summary>How long new iterations are started.</summary>
    public TimeSpan During { get; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"keep constant {Copies} for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new KeepConstantSimulation(Copies, duration);
}
