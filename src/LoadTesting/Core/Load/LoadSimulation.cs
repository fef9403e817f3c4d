namespace LoadTesting.Core.Load;

/// <summary>Who decides when the next iteration starts.</summary>
public enum LoadModel
{
    /// <summary>A schedule: iterations start whether or not earlier ones have ended. Headline latency is the response time.</summary>
    Open,

    /// <summary>The end of the iteration before: a fixed number of copies. Headline latency is the service time.</summary>
    Closed,
}

/// <summary>One stretch of load. Made by <see cref="Simulation"/>.</summary>
public abstract record LoadSimulation
{
    private protected LoadSimulation(LoadModel? model, TimeSpan? plannedDuration) => (Model, PlannedDuration) = (model, plannedDuration);

    /// <summary>Open or closed; null for a pause, which fits either.</summary>
    public LoadModel? Model { get; }

    /// <summary>How long it is to last; null where that follows from a number of iterations and how long each takes.</summary>
    public TimeSpan? PlannedDuration { get; }

    /// <summary>How long these last, one after the other; null where a number of iterations ends one of them.</summary>
    internal static TimeSpan? DurationOf(IReadOnlyList<LoadSimulation> simulations) =>
        simulations.All(simulation => simulation.PlannedDuration is not null)
            ? simulations.Aggregate(TimeSpan.Zero, (sum, simulation) => sum + simulation.PlannedDuration!.Value)
            : null;

    /// <summary>The same kind of load for <paramref name="duration"/>, for the warm-up.</summary>
    internal abstract LoadSimulation For(TimeSpan duration);

    /// <summary>
    /// This simulation as it runs when <paramref name="previous"/> has ended (null: it is the first). Only ramps depend on that.
    /// </summary>
    internal virtual LoadSimulation After(LoadSimulation? previous) => this;

    /// <summary>
    /// The share of one part of the load. Those of an open simulation are its arrivals by turns, so that together they are its schedule to
    /// the tick; those of a closed one are its copies and iterations by turns.
    /// </summary>
    internal LoadSimulation ShareOf(LoadPart part)
    {
        var (index, of) = (part.Index - 1, part.Of);
        int Turns(int all) => (int)Part(all);
        long Part(long all) => (all - index + of - 1) / of;

        return this switch
        {
            OpenSimulation open => open with { Share = (index, of) },
            KeepConstantSimulation keep => new KeepConstantSimulation(Turns(keep.Copies), keep.During),
            RampingConstantSimulation ramp => new RampingConstantSimulation(Turns(ramp.FromCopies), Turns(ramp.Copies), ramp.During),
            IterationsForConstantSimulation number => new IterationsForConstantSimulation(Turns(number.Copies), Part(number.Iterations)),
            _ => this,
        };
    }
}

/// <summary>Load on a schedule of arrivals that is known before the run and lasts a known time.</summary>
public abstract record OpenSimulation : LoadSimulation
{
    private protected OpenSimulation(TimeSpan interval, TimeSpan during)
        : base(LoadModel.Open, during) => (Interval, During) = (interval, during);

    /// <summary>The time that rates refer to.</summary>
    public TimeSpan Interval { get; }

    public TimeSpan During { get; }

    /// <summary>Which of its arrivals are made: of so many parts the one of that place makes every so-manieth. Default: all.</summary>
    internal (int Index, int Of) Share { get; init; } = (0, 1);

    /// <summary>The mean time between two arrivals of the whole.</summary>
    internal abstract TimeSpan MeanGap { get; }

    /// <summary>The rate when the schedule ends, from which a ramp goes on.</summary>
    internal abstract ArrivalRate EndRate { get; }
}

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
        : string.Create(CultureInfo.InvariantCulture, $"inject {Rate} per {Interval} for {During}, Poisson with seed {Seed}");

    internal override LoadSimulation For(TimeSpan duration) =>
        new InjectSimulation(Rate, Interval, duration, Pattern, Seed);
}

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

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"ramping inject from {FromRate:0.######} to {Rate} per {Interval} for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new RampingInjectSimulation(From, Rate, Interval, duration);

    internal override LoadSimulation After(LoadSimulation? previous) =>
        new RampingInjectSimulation((previous as OpenSimulation)?.EndRate ?? ArrivalRate.None, Rate, Interval, During);
}

/// <summary>Open model of a rate that changes at random: see <see cref="Simulation.InjectRandom"/>.</summary>
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

    internal override LoadSimulation For(TimeSpan duration) => new InjectRandomSimulation(MinRate, MaxRate, Interval, duration, Seed);
}

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
        string.Create(CultureInfo.InvariantCulture, $"inject {Iterations} iterations, {Rate} per {Interval}, even");

    internal override LoadSimulation For(TimeSpan duration) =>
        new InjectSimulation(Rate, Interval, duration, ArrivalPattern.Even, seed: 0);
}

/// <summary>Load by a number of copies that each start their next iteration when the one before has ended.</summary>
public abstract record ClosedSimulation : LoadSimulation
{
    private protected ClosedSimulation(int copies, TimeSpan? plannedDuration)
        : base(LoadModel.Closed, plannedDuration) => Copies = copies;

    /// <summary>Iterations in flight at any time; of a ramp, those at its end.</summary>
    public int Copies { get; }
}

/// <summary>Closed model: see <see cref="Simulation.KeepConstant"/>.</summary>
public sealed record KeepConstantSimulation : ClosedSimulation
{
    internal KeepConstantSimulation(int copies, TimeSpan during)
        : base(copies, during) => During = during;

    public TimeSpan During { get; }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"keep constant {Copies} for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new KeepConstantSimulation(Copies, duration);
}

/// <summary>Closed model of a number of copies that rises or falls: see <see cref="Simulation.RampingConstant"/>.</summary>
public sealed record RampingConstantSimulation : ClosedSimulation
{
    internal RampingConstantSimulation(int fromCopies, int copies, TimeSpan during)
        : base(copies, during) => (FromCopies, During) = (fromCopies, during);

    /// <summary>Copies when the ramp begins: those of the simulation before it, else 0.</summary>
    public int FromCopies { get; }

    public TimeSpan During { get; }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"ramping constant from {FromCopies} to {Copies} for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new RampingConstantSimulation(FromCopies, Copies, duration);

    internal override LoadSimulation After(LoadSimulation? previous) =>
        new RampingConstantSimulation((previous as ClosedSimulation)?.Copies ?? 0, Copies, During);
}

/// <summary>Closed model with a fixed number of iterations: see <see cref="Simulation.IterationsForConstant"/>.</summary>
public sealed record IterationsForConstantSimulation : ClosedSimulation
{
    internal IterationsForConstantSimulation(int copies, long iterations)
        : base(copies, null) => Iterations = iterations;

    public long Iterations { get; }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Iterations} iterations, {Copies} at a time");

    internal override LoadSimulation For(TimeSpan duration) => new KeepConstantSimulation(Copies, duration);
}

/// <summary>A time without starts: see <see cref="Simulation.Pause"/>.</summary>
public sealed record PauseSimulation : LoadSimulation
{
    internal PauseSimulation(TimeSpan during)
        : base(null, during) => During = during;

    public TimeSpan During { get; }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"pause for {During}");

    internal override LoadSimulation For(TimeSpan duration) => new PauseSimulation(duration);
}

/// <summary>How the arrivals of an open model are spread.</summary>
public enum ArrivalPattern
{
    /// <summary>The same gap between any two.</summary>
    Even,

    /// <summary>A Poisson process: exponentially distributed gaps from a stored seed.</summary>
    Poisson,
}

/// <summary>Arrivals in each interval, kept as the two numbers that were given, so that nothing is rounded.</summary>
internal readonly record struct ArrivalRate(int Iterations, TimeSpan Interval)
{
    /// <summary>Before the first simulation, and after a pause.</summary>
    internal static ArrivalRate None { get; } = new(0, TimeSpan.FromSeconds(1));
}

/// <summary>A rate for each interval, uniform from the lowest to the highest, both included; the same seed gives the same rates.</summary>
internal sealed class RandomRates(int minRate, int maxRate, int seed)
{
    private readonly Random _random = new(seed);

    internal int Next() => (int)_random.NextInt64(minRate, maxRate + 1L);

    /// <summary>The rate of the interval with that number, from 0, where none has been drawn yet.</summary>
    internal int OfInterval(long number)
    {
        for (var earlier = 0L; earlier < number; earlier++)
        {
            Next();
        }

        return Next();
    }
}
