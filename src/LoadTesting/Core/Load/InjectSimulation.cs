using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>Open model: see <see cref="Simulation.Inject"/>.</summary>
public sealed record InjectSimulation : OpenSimulation
{
    internal InjectSimulation(int rate, TimeSpan interval, TimeSpan during, ArrivalPattern pattern, int seed)
        : base(interval, during) => (Rate, Pattern, Seed) = (rate, pattern, seed);

    /// <summary>Iterations in each interval.</summary>
    public int Rate { get; }

    /// <summary>Even or Poisson.</summary>
    public ArrivalPattern Pattern { get; }

    /// <summary>The seed of the Poisson process; without effect on even arrivals.</summary>
    public int Seed { get; }

    internal override TimeSpan MeanGap => Interval / Rate;

    internal override ArrivalRate EndRate => new(Rate, Interval);

    /// <inheritdoc/>
    public override string ToString() => Pattern == ArrivalPattern.Even
        ? string.Create(CultureInfo.InvariantCulture, $"inject {Rate} per {Interval} for {During}, even")
        : string.Create(CultureInfo.InvariantCulture, $"inject {Rate} per {Interval} for {During}, Poisson with seed {Seed}");

    internal override LoadSimulation For(TimeSpan duration) =>
        new InjectSimulation(Rate, Interval, duration, Pattern, Seed);
}
