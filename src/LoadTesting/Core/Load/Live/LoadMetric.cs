using System.Diagnostics.Metrics;

namespace LoadTesting.Core.Load.Live;

/// <summary>One metric that a running load publishes.</summary>
public sealed record LoadMetric
{
    private static readonly Dictionary<string, string> UnitSuffixes = new(StringComparer.Ordinal)
    {
        ["s"] = "_seconds", ["1"] = "_ratio",
    };

    internal LoadMetric(
        string instrument, bool isCounter, string unit, string help, IReadOnlyList<string> labels,
        Func<PublishedLoad, IEnumerable<Measurement<double>>> read)
    {
        (Instrument, IsCounter, Unit, Help, Labels, Read) = (instrument, isCounter, unit, help, labels, read);
        Metric = instrument.Replace('.', '_') + UnitSuffixes.GetValueOrDefault(unit, "") + (isCounter ? "_total" : "");
    }

    /// <summary>
    /// Its name as an instrument of the meter <see cref="LoadMetrics.MeterName"/>, e.g. <c>load.iterations.started</c>.
    /// </summary>
    public string Instrument { get; }

    /// <summary>
    /// Its name as a Prometheus metric, e.g. <c>load_iterations_started_total</c>; an exporter of the instrument
    /// derives the same name.
    /// </summary>
    public string Metric { get; }

    /// <summary>Whether it is a counter over all loads of the process; otherwise it is a gauge.</summary>
    public bool IsCounter { get; }

    /// <summary>
    /// The unit in UCUM, as OpenTelemetry requires: <c>s</c>, <c>1</c> for a share from 0 to 1, <c>{iteration}</c> for
    /// a number.
    /// </summary>
    public string Unit { get; }

    /// <summary>The description.</summary>
    public string Help { get; }

    /// <summary>The attributes of its values.</summary>
    public IReadOnlyList<string> Labels { get; }

    internal Func<PublishedLoad, IEnumerable<Measurement<double>>> Read { get; }
}
