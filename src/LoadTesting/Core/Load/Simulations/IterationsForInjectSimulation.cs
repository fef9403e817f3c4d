namespace LoadTesting.Core.Load.Simulations;

/// <summary>Open model with a fixed number of iterations: see <see cref="Simulation.IterationsForInject"/>.</summary>
public sealed record IterationsForInjectSimulation : OpenSimulation
{
    internal IterationsForInjectSimulation(int rate, TimeSpan interval, long iterations, TimeSpan during)
        : base(interval, during) => (Rate, Iterations) = (rate, iterations);

    public int Rate { get; }
    public long Iterations { get; }
    internal override TimeSpan MeanGap => Interval / Rate;
    internal override ArrivalRate EndRate => new(Rate, Interval);

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture,
            $"inject {Iterations} {Quantity.Noun(Iterations, "iteration")}, {Rate} per {Interval}, even");

    internal override LoadSimulation For(TimeSpan duration) =>
        new InjectSimulation(Rate, Interval, duration, ArrivalPattern.Even, seed: 0);
}
