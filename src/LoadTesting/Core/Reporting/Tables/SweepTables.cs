using LoadTesting.Core.Http.Sweep;
using static LoadTesting.Core.Reporting.Tables.ReportColumn;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What a sweep over numbers of workers found, as a table and in sentences.</summary>
public static class SweepTables
{
    public const string Title = "Ceiling of HTTP clients";

    public static IReadOnlyList<ReportTable> Of(SweepResult result)
    {
        var first = result.Options.Clients[0].Name;
        return
        [
            new(
                "Requests per second by workers",
                FormattableString.Invariant($"GET {result.Options.Target}; medians of {result.Options.Rounds} interleaved rounds of ")
                + FormattableString.Invariant($"{result.Options.Duration.TotalSeconds} s with the smallest and the largest. Cores are ")
                + $"processors in use, of {Environment.ProcessorCount}; us each is processor time per "
                + "request, which other load on the machine changes least. Ratios are medians of those within a round.",
                [
                    Text("Client"), new("Requests", "/s"), new("Smallest"), new("Largest"), new($"Over {first}"),
                    new("p50", "ms"),
                    new("p95", "ms"), new("p99", "ms"), new("Errors"), new("Client", "cores"), new("Service", "cores"),
                    new("Client", "us each"), new("Client", "MiB"),
                ],
                [
                    .. result.Options.Workers.SelectMany(workers => (IEnumerable<ReportRow>)
                    [
                        ReportRow.Group(Workers(workers)),
                        .. result.Steps.Where(step => step.Workers == workers)
                            .SelectMany(step => Rows(step, result.At(workers, first))),
                    ]),
                ]),
        ];
    }

    public static IReadOnlyList<string> Statements(SweepResult result) =>
        [.. result.Options.Clients
            .Select(client => Statement([.. result.Steps.Where(step => step.Client == client.Name)]))];

    private static string Statement(IReadOnlyList<SweepStep> steps)
    {
        var (best, last) = (steps.MaxBy(step => step.RequestsPerSecond)!, steps.MaxBy(step => step.Workers)!);
        var errors = steps.Sum(step => step.Errors);
        return $"{best.Client}: at most {Figures.Rate(best.RequestsPerSecond)}/s, with {Workers(best.Workers)}"
            + (last == best || best.RequestsPerSecond <= 0 ? ""
                : $"; {Figures.Percent(last.RequestsPerSecond / best.RequestsPerSecond)} of that with {Workers(last.Workers)}")
            + (errors == 0 ? "." : $"; {Quantity.Of(errors, "error")}.");
    }

    private static IEnumerable<ReportRow> Rows(SweepStep step, SweepStep first)
    {
        yield return ReportRow.Values(
            step.Client, Figures.Rate(step.RequestsPerSecond),
            Figures.Rate(step.Samples.Min(sample => sample.RequestsPerSecond)),
            Figures.Rate(step.Samples.Max(sample => sample.RequestsPerSecond)), Rounded(step.Over(first)),
            Figures.Ms(step.Median(sample => sample.P50Ms)), Figures.Ms(step.Median(sample => sample.P95Ms)),
            Figures.Ms(step.Median(sample => sample.P99Ms)), Figures.Count(step.Errors),
            Rounded(step.Median(sample => sample.ClientCores)), Rounded(step.Median(sample => sample.ServiceCores)),
            Rounded(step.Median(
                sample => sample.RequestsPerSecond > 0 ? sample.ClientCores * 1e6 / sample.RequestsPerSecond : null)),
            step.Median(sample => sample.ClientBytes) is { } bytes
                ? Figures.Count((long)(bytes / (1 << 20))) : Figures.Absent);
        if (step.Samples.Select(sample => sample.Error).FirstOrDefault(error => error is not null) is { } error)
        {
            yield return ReportRow.Detail($"Error: {error}");
        }
    }

    private static string Workers(int workers) => Quantity.Of(workers, "worker");

    private static string Rounded(double? value) =>
        value?.ToString("0.00", CultureInfo.InvariantCulture) ?? Figures.Absent;
}
