namespace LoadTesting.Core.Load.Simulations;

/// <summary>Open model with random rates: see <see cref="Simulation.InjectRandom"/>.</summary>
public sealed record InjectRandomSimulation : OpenSimulation
{
    internal InjectRandomSimulation(int minRate, int maxRate, TimeSpan interval, TimeSpan during, int seed)
        : base(interval, during) => (MinRate, MaxRate, Seed) = (minRate, maxRate, seed);

    public int MinRate { get; }
    public int MaxRate { get; }
    public int Seed { get; }
    internal override TimeSpan MeanGap => Interval / (((double)MinRate + MaxRate) / 2);
    internal override ArrivalRate EndRate =>
        new(new RandomRates(MinRate, MaxRate, Seed).OfInterval((During.Ticks - 1) / Interval.Ticks), Interval);

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"inject {MinRate} to {MaxRate} per {Interval} for {During}, a new rate for each interval with seed {Seed}");

    internal override LoadSimulation For(TimeSpan duration) =>
        new InjectRandomSimulation(MinRate, MaxRate, Interval, duration, Seed);
}
