namespace LoadTesting.Core.Load.Simulations;

/// <summary>
/// Closed model with a fixed number of iterations: see <see cref="Simulation.IterationsForConstant"/>.
/// </summary>
public sealed record IterationsForConstantSimulation : ClosedSimulation
{
    internal IterationsForConstantSimulation(int copies, long iterations)
        : base(copies, null) => Iterations = iterations;

    public long Iterations { get; }

    public override string ToString() =>
        string.Create(
            CultureInfo.InvariantCulture, $"{Iterations} {Quantity.Noun(Iterations, "iteration")}, {Copies} at a time");

    internal override LoadSimulation For(TimeSpan duration) => new KeepConstantSimulation(Copies, duration);
}
