using System.Globalization;

namespace LoadTesting.Core.Scenarios;

/// <summary>Open model: see <see cref="Simulation.Inject"/>.</summary>
public sealed record InjectSimulation : LoadSimulation
{
    internal InjectSimulation(int rate, TimeSpan interval, TimeSpan during, ArrivalPattern pattern, int seed)
        : base(LoadModel.Open, during) => (Rate, Interval, During, Pattern, Seed) = (rate, interval, during, pattern, seed);

    /// <summary>Iterations in each <see cref="Interval"/>.</summary>
    public int Rate { get; }

    /// <summary>The time that <see cref="Rate"/> refers to.</summary>
    public TimeSpan Interval { get; }

    /// <summary>How long the schedule lasts.</summary>
    public TimeSpan During { get; }

    /// <summary>Even or Poisson.</summary>
    public ArrivalPattern Pattern { get; }

    /// <summary>The seed of the Poisson process; without effect on even arrivals.</summary>
    public int Seed { get; }

    /// <inheritdoc/>
    public override string ToString() => Pattern == ArrivalPattern.Even
        ? string.Create(CultureInfo.InvariantCulture, $"inject {Rate} per {Interval} for {During}, even")
        : string.Create(CultureInfo.InvariantCulture, $"inject {Rate} per {Interval} for {During}, Poisson with seed {Seed}");

    internal override LoadSimulation For(TimeSpan duration) =>
        new InjectSimulation(Rate, Interval, duration, Pattern, Seed);
}
