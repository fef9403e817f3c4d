using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>Open model of a rate that changes at random: see <see cref="Simulation.InjectRandom"/>.</summary>
public sealed record InjectRandomSimulation : OpenSimulation
{
    internal InjectRandomSimulation(int minRate, int maxRate, TimeSpan interval, TimeSpan during, int seed)
        : base(interval, during) => (MinRate, MaxRate, Seed) = (minRate, maxRate, seed);

    /// <summary>The lowest number of iterations in an interval.</summary>
    public int MinRate { get; }

    /// <summary>The highest number of iterations in an interval.</summary>
    public int MaxRate { get; }

    /// <summary>What the rates are drawn from.</summary>
    public int Seed { get; }

    internal override TimeSpan MeanGap => Interval / (((double)MinRate + MaxRate) / 2);

    internal override ArrivalRate EndRate => new(new RandomRates(MinRate, MaxRate, Seed).OfInterval((During.Ticks - 1) / Interval.Ticks), Interval);

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"inject {MinRate} to {MaxRate} per {Interval} for {During}, a new rate for each interval with seed {Seed}");

    internal override LoadSimulation For(TimeSpan duration) => new InjectRandomSimulation(MinRate, MaxRate, Interval, duration, Seed);
}
