using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Workflow.Engine.Diagnostics;

/// <summary>
/// The meter <c>Workflow.Engine</c>: an instrument for each of <see cref="EngineCounters.All"/>, read during
/// collection, with a value for each engine of the process. Every exporter therefore has the values of the metrics page
/// under the same names.
/// </summary>
internal sealed class EngineMeter : IDisposable
{
    public const string Name = "Workflow.Engine";

    private static readonly Meter s_meter = new(Name);

    /// <summary>
    /// Weak references: the instruments live as long as the process, but an engine that was not disposed need not.
    /// </summary>
    private static readonly ConditionalWeakTable<EngineMeter, object> s_engines = [];

    private readonly Func<EngineStatistics> _read;

    static EngineMeter()
    {
        foreach (var counter in EngineCounters.All)
        {
            _ = counter.Kind == CounterKind.Gauge
                ? s_meter.CreateObservableGauge(counter.Instrument, () => Measure(counter), unit: null, counter.Help)
                : (Instrument)s_meter.CreateObservableCounter(
                    counter.Instrument, () => Measure(counter), unit: null, counter.Help);
        }
    }

    public EngineMeter(Func<EngineStatistics> read)
    {
        _read = read;
        s_engines.Add(this, this);
    }

    public void Dispose() => s_engines.Remove(this);

    private static IEnumerable<Measurement<double>> Measure(EngineCounter counter) =>
        s_engines.Select(engine => counter.Read(engine.Key._read())).OfType<double>().Select(
            value => new Measurement<double>(value));
}
