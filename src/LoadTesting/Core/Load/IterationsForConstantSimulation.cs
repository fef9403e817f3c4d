using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>Closed model with a fixed number of iterations: see <see cref="Simulation.IterationsForConstant"/>.</summary>
public sealed record IterationsForConstantSimulation : ClosedSimulation
{
    internal IterationsForConstantSimulation(int copies, long iterations)
        : base(copies, null) => Iterations = iterations;

    /// <summary>Iterations in all, over all copies.</summary>
    public long Iterations { get; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Iterations} iterations, {Copies} at a time");

    internal override LoadSimulation For(TimeSpan duration) => new KeepConstantSimulation(Copies, duration);
}
