namespace Benchmarks;

/// <summary>What the command line asks for.</summary>
internal sealed record BenchmarkOptions
{
    private const string RoundsOption = "--rounds=";
    private const string SecondsOption = "--seconds=";
    private const string QuietOption = "--wait-for-quiet=";
    private const string RecordedOption = "--recorded=";
    private const string StockOption = "--stock=";
    private const string TimersOption = "--timers=";
    private const string KillsOption = "--kills=";
    private const string LoadOption = "--load-seconds=";
    private const string NotDurableOption = "--allow-not-durable";

    /// <summary>Names of benchmarks, or <c>all</c>.</summary>
    public IReadOnlyList<string> Names { get; private init; } = [];

    /// <summary>Interleaved rounds. Default 5.</summary>
    public int Rounds { get; private init; } = 5;

    /// <summary>How long each measurement of a round lasts. Default 5 s; pgbench and hey take whole seconds.</summary>
    public TimeSpan Duration { get; private init; } = TimeSpan.FromSeconds(5);

    /// <summary>Longest wait of a round for a quiet machine before it begins anyway. Default: no wait.</summary>
    public TimeSpan WaitForQuiet { get; private init; } = TimeSpan.Zero;

    /// <summary>Whether a server that may lose acknowledged work is measured anyway. Default false.</summary>
    public bool AllowNotDurable { get; private init; }

    /// <summary>Dormant instances that <c>dormant</c> makes. Default 100,000.</summary>
    public int Stock { get; private init; } = 100_000;

    /// <summary>Timers of dormant instances that <c>dormant</c> lets become due. Default 0.</summary>
    public int Timers { get; private init; }

    /// <summary>How often <c>dormant</c> kills one of two nodes. Default 0.</summary>
    public int Kills { get; private init; }

    /// <summary>How long the load of <c>dormant</c> lasts. Default: all rounds.</summary>
    public TimeSpan? Load { get; private init; }

    /// <summary>Directory of recorded pairs for <c>gate-error-rates</c>. Default: those of the repository.</summary>
    public string Recorded { get; private init; } = Path.Combine(Checkout.Root, "fixtures", "baselines", "gate");

    /// <exception cref="ArgumentException">An option is unknown or its value out of range.</exception>
    public static BenchmarkOptions Parse(IEnumerable<string> arguments)
    {
        var options = new BenchmarkOptions();
        foreach (var argument in arguments)
        {
            options = argument switch
            {
                NotDurableOption => options with { AllowNotDurable = true },
                _ when argument.StartsWith(RoundsOption, StringComparison.Ordinal) =>
                    options with { Rounds = Number(argument, RoundsOption) },
                _ when argument.StartsWith(SecondsOption, StringComparison.Ordinal) =>
                    options with { Duration = TimeSpan.FromSeconds(Number(argument, SecondsOption)) },
                _ when argument.StartsWith(QuietOption, StringComparison.Ordinal) =>
                    options with { WaitForQuiet = TimeSpan.FromSeconds(Number(argument, QuietOption)) },
                _ when argument.StartsWith(RecordedOption, StringComparison.Ordinal) =>
                    options with { Recorded = argument[RecordedOption.Length..] },
                _ when argument.StartsWith(StockOption, StringComparison.Ordinal) =>
                    options with { Stock = Number(argument, StockOption) },
                _ when argument.StartsWith(TimersOption, StringComparison.Ordinal) =>
                    options with { Timers = Number(argument, TimersOption) },
                _ when argument.StartsWith(KillsOption, StringComparison.Ordinal) =>
                    options with { Kills = Number(argument, KillsOption) },
                _ when argument.StartsWith(LoadOption, StringComparison.Ordinal) =>
                    options with { Load = TimeSpan.FromSeconds(Number(argument, LoadOption)) },
                _ when argument.StartsWith('-') =>
                    throw new ArgumentException($"Unknown option '{argument}'; known are {RoundsOption}<n>, "
                    + $"{SecondsOption}<n>, {QuietOption}<seconds>, "
                    + $"{RecordedOption}<directory>, {StockOption}<n>, {TimersOption}<n>, {KillsOption}<n>, "
                    + $"{LoadOption}<n> and {NotDurableOption}."),
                _ => options with { Names = [.. options.Names, argument] },
            };
        }

        return options;
    }

    private static int Number(string argument, string option) =>
        int.TryParse(argument.AsSpan(option.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            && number > 0
            ? number
            : throw new ArgumentException($"{argument} is not a whole number above 0.");
}
