namespace LoadTesting.Core.Analysis.Findings;

/// <summary>Usage and waits in a piece of the measured part; null where not measured.</summary>
public sealed record FindingSpan
{
    /// <summary>Its length, over 0.</summary>
    public required double Seconds { get; init; }

    /// <summary>The process of the system under test; the generator's when the two are one.</summary>
    public ProcessUsage? Service { get; init; }

    /// <summary>The backend's processes together.</summary>
    public ProcessUsage? Database { get; init; }

    /// <summary>Processor seconds of the generator, if the generator runs in a separate process.</summary>
    public double GeneratorCpuSeconds { get; init; }

    /// <summary>Processor seconds that the whole machine used, with those that the hypervisor gave to others.</summary>
    public double? MachineCpuSeconds { get; init; }

    /// <summary>Moments in which the backend's sessions were looked at; null where nothing looks.</summary>
    public int? Looks { get; init; }

    /// <summary>What the sessions waited for, by the server's name.</summary>
    public IReadOnlyDictionary<string, WaitSum> Waits { get; init; } = new Dictionary<string, WaitSum>();

    /// <summary>What else was spent.</summary>
    public SystemSums Sums { get; init; } = new();

    /// <summary>The sum of several spans; null where one of them is null.</summary>
    public static FindingSpan SumOf(IReadOnlyList<FindingSpan> spans)
    {
        return new FindingSpan
        {
            Seconds = spans.Sum(span => span.Seconds),
            Service = Usage(span => span.Service),
            Database = Usage(span => span.Database),
            GeneratorCpuSeconds = spans.Sum(span => span.GeneratorCpuSeconds),
            MachineCpuSeconds = Total(span => span.MachineCpuSeconds),
            Looks = spans.Any(span => span.Looks is null) ? null : spans.Sum(span => span.Looks),
            Waits = spans.SelectMany(span => span.Waits).GroupBy(wait => wait.Key, StringComparer.Ordinal).ToDictionary(
                same => same.Key,
                same => new WaitSum(
                    same.First().Value.Resource, same.Sum(wait => wait.Value.Sessions),
                    same.Sum(wait => wait.Value.Moments)),
                StringComparer.Ordinal),
            Sums = spans.Count == 0
                ? new SystemSums() : spans.Select(span => span.Sums).Aggregate((sum, next) => sum.Plus(next)),
        };

        double? Total(Func<FindingSpan, double?> figure) =>
            spans.Any(span => figure(span) is null) ? null : spans.Sum(span => figure(span));

        ProcessUsage? Usage(Func<FindingSpan, ProcessUsage?> process) =>
            spans.Count == 0 || spans.Any(span => process(span) is null)
                ? null
                : spans.Select(span => process(span)!).Aggregate((sum, next) => sum.Plus(next));
    }
}
