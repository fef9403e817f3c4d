using System.Globalization;

namespace LoadTesting.Core.Scenarios;

/// <summary>Closed model: see <see cref="Simulation.KeepConstant"/>.</summary>
public sealed record KeepConstantSimulation : LoadSimulation
{
    internal KeepConstantSimulation(int copies, TimeSpan during)
        : base(LoadModel.Closed, during) => (Copies, During) = (copies, during);

    /// <summary>Iterations in flight at any time.</summary>
    public int Copies { get; }

    /// <summary>How long new iterations are started.</summary>
    public TimeSpan During { get; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"keep constant {Copies} for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new KeepConstantSimulation(Copies, duration);
}
