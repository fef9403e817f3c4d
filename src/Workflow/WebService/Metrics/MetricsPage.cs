using Workflow.Abstractions;

namespace Workflow.WebService.Metrics;

/// <summary>A page in the Prometheus text format, version 0.0.4.</summary>
internal sealed class MetricsPage
{
    private readonly StringBuilder _text = new(16 * 1024);

    public void Family(string name, string type, string help) =>
        _text.Append("# HELP ").Append(name).Append(' ').Append(help).Append("\n# TYPE ").Append(name).Append(' ')
            .Append(type)
            .Append('\n');

    /// <summary>Every counter of the engine; those of a node only where several share the store.</summary>
    public void Write(EngineStatistics engine)
    {
        foreach (var counter in EngineCounters.All)
        {
            if (counter.Read(engine) is { } value)
            {
                Single(counter.Metric, counter.Kind == CounterKind.Gauge ? "gauge" : "counter", counter.Help, value);
            }
        }
    }

    /// <summary>A family of one sample without labels.</summary>
    public void Single(string name, string type, string help, double value)
    {
        Family(name, type, help);
        Sample(name, "", value);
    }

    public void Sample(string name, string labels, double value)
    {
        _text.Append(name);
        if (labels.Length > 0)
        {
            _text.Append('{').Append(labels).Append('}');
        }

        _text.Append(' ').Append(value.ToString(CultureInfo.InvariantCulture)).Append('\n');
    }

    public override string ToString() => _text.ToString();
}
