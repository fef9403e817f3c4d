using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>Open model of a rate that rises or falls: see <see cref="Simulation.RampingInject"/>.</summary>
public sealed record RampingInjectSimulation : OpenSimulation
{
    internal RampingInjectSimulation(ArrivalRate from, int rate, TimeSpan interval, TimeSpan during)
        : base(interval, during) => (From, Rate) = (from, rate);

    /// <summary>Iterations in each interval when the ramp begins: where the simulation before it ended, else 0.</summary>
    public double FromRate => From.Iterations * (Interval / From.Interval);

    /// <summary>Iterations in each interval when the ramp ends.</summary>
    public int Rate { get; }

    /// <summary>The rate at the beginning, as it was given.</summary>
    internal ArrivalRate From { get; }

    internal override TimeSpan MeanGap => Interval / ((FromRate + Rate) / 2);

    internal override ArrivalRate EndRate => new(Rate, Interval);

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"ramping inject from {FromRate:0.######} to {Rate} per {Interval} for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new RampingInjectSimulation(From, Rate, Interval, duration);

    internal override LoadSimulation After(LoadSimulation? previous) =>
        new RampingInjectSimulation((previous as OpenSimulation)?.EndRate ?? ArrivalRate.None, Rate, Interval, During);
}
