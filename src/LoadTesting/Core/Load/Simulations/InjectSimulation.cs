namespace LoadTesting.Core.Load.Simulations;

/// <summary>Open model: see <see cref="Simulation.Inject"/>.</summary>
public sealed record InjectSimulation : OpenSimulation
{
    internal InjectSimulation(int rate, TimeSpan interval, TimeSpan during, ArrivalPattern pattern, int seed)
        : base(interval, during) => (Rate, Pattern, Seed) = (rate, pattern, seed);

    public int Rate { get; }
    public ArrivalPattern Pattern { get; }

    /// <summary>The seed of the Poisson process; without effect on even arrivals.</summary>
    public int Seed { get; }

    internal override TimeSpan MeanGap => Interval / Rate;
    internal override ArrivalRate EndRate => new(Rate, Interval);

    public override string ToString() => Pattern == ArrivalPattern.Even
        ? string.Create(CultureInfo.InvariantCulture, $"inject {Rate} per {Interval} for {During}, even")
        : string.Create(
            CultureInfo.InvariantCulture, $"inject {Rate} per {Interval} for {During}, Poisson with seed {Seed}");

    internal override LoadSimulation For(TimeSpan duration) =>
        new InjectSimulation(Rate, Interval, duration, Pattern, Seed);
}
