namespace LoadTesting.Core.Load.Simulations;

/// <summary>Open model with a linearly changing rate: see <see cref="Simulation.RampingInject"/>.</summary>
public sealed record RampingInjectSimulation : OpenSimulation
{
    internal RampingInjectSimulation(ArrivalRate from, int rate, TimeSpan interval, TimeSpan during)
        : base(interval, during) => (From, Rate) = (from, rate);

    /// <summary>
    /// Iterations per interval at the beginning of the ramp: where the simulation before ended, or 0.
    /// </summary>
    public double FromRate => From.Iterations * (Interval / From.Interval);

    /// <summary>Iterations per interval at the end of the ramp.</summary>
    public int Rate { get; }

    /// <summary>The rate at the beginning, as given.</summary>
    internal ArrivalRate From { get; }

    internal override TimeSpan MeanGap => Interval / ((FromRate + Rate) / 2);
    internal override ArrivalRate EndRate => new(Rate, Interval);

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"ramping inject from {FromRate:0.######} to {Rate} per {Interval} for {During}");

    internal override LoadSimulation For(TimeSpan duration) =>
        new RampingInjectSimulation(From, Rate, Interval, duration);

    internal override LoadSimulation After(LoadSimulation? previous) =>
        new RampingInjectSimulation((previous as OpenSimulation)?.EndRate ?? ArrivalRate.None, Rate, Interval, During);
}
