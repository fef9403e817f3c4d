namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The environment as name and value, in reading order; unknown values say so.</summary>
internal static class EnvironmentFacts
{
    public static IReadOnlyList<(string Name, string Value)> Of(RunResult run)
    {
        var environment = run.Environment;
        return
        [
            ("Run", $"{run.RunId}, begun {Figures.Utc(run.CreatedUtc)}"),
            ("Commit", Commit(run)),
            ("Processor",
                $"{environment.CpuModel ?? "unknown"}, "
                    + $"{environment.Cores?.ToString(CultureInfo.InvariantCulture) ?? "?"} logical cores"),
            ("Memory", Figures.Gibibytes(environment.MemoryBytes)),
            ("Limits", Limits(environment)),
            ("System",
                Join(environment.Os, environment.Kernel is { } kernel ? "kernel " + kernel : null,
                    environment.Architecture)),
            ("Runtime", Join(environment.Dotnet, environment.Sdk is { } sdk ? "SDK " + sdk : null,
                environment.GcMode is { } gc ? gc + " collector" : null)),
            ("Load average", $"{Load(environment.LoadAverageBefore)} before, {Load(environment.LoadAverageAfter)} after (1, 5, 15 min)"),
            ("Stolen by the hypervisor", Figures.Percent(environment.StealShare) + " of processor time"),
            ("Machine class", environment.MachineClass ?? "unknown"),
            ("Fingerprint", environment.Fingerprint ?? "unknown"),
            ("Boot", environment.BootId ?? "unknown"),
        ];
    }

    private static string Commit(RunResult run) => run.Commit is null
        ? "none: not in a repository"
        : run.Commit
            + run.Dirty switch { true => ", with uncommitted changes", false => ", clean",
                null => ", unknown whether clean" };

    private static string Limits(EnvironmentInfo environment)
    {
        var limits = Join(
            environment.CpuLimitCores is { } cores ? Figures.Counter(cores) + " cores" : null,
            environment.MemoryLimitBytes is { } bytes ? Figures.Gibibytes(bytes) : null);
        return limits == "unknown" ? "none" : limits + " (control group)";
    }

    private static string Load(IReadOnlyList<double>? values) =>
        values is null
            ? "unknown"
            : string.Join(" / ", values.Select(value => value.ToString("0.00", CultureInfo.InvariantCulture)));

    private static string Join(params string?[] parts)
    {
        var known = parts.OfType<string>().ToList();
        return known.Count == 0 ? "unknown" : string.Join(", ", known);
    }
}
