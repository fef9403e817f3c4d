namespace LoadTesting.Core.Load.Recording;

/// <summary>
/// The meters of a scenario's steps by name. Their number is limited: step names that contain ids would fill the
/// memory.
/// </summary>
internal sealed class StepMeters(string scenarioName, bool isOpen)
{
    internal const int MaximumSteps = 200;

    private readonly ConcurrentDictionary<string, StepMeter> _meters = new(StringComparer.Ordinal);
    private readonly List<string> _order = [];
    private readonly Lock _gate = new();

    /// <summary>Whether steps are also taken by interval.</summary>
    internal bool KeepsIntervals { get; set; }

    /// <summary>The records since the last call, in the order of the steps; empty if intervals are not kept.</summary>
    internal IReadOnlyList<(string Name, Meter Meter)> Take() =>
        KeepsIntervals ? [.. InOrder().Select(step => (step.Name, step.Meter.Take()))] : [];

    /// <exception cref="InvalidOperationException">There are too many step names.</exception>
    internal StepMeter Of(string name) => _meters.TryGetValue(name, out var meter) ? meter : Add(name);

    /// <summary>Stops recording and returns everything recorded, in the order of the steps.</summary>
    internal IReadOnlyList<(string Name, Meter Meter)> Close() =>
        [.. InOrder().Select(step => (step.Name, step.Meter.Close()))];

    private List<(string Name, StepMeter Meter)> InOrder()
    {
        lock (_gate)
        {
            return [.. _order.Select(name => (name, _meters[name]))];
        }
    }

    private StepMeter Add(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        lock (_gate)
        {
            if (_meters.TryGetValue(name, out var existing))
            {
                return existing;
            }

            if (_order.Count >= MaximumSteps)
            {
                throw new InvalidOperationException(
                    $"Step '{name}' would be number {_order.Count + 1} of scenario '{scenarioName}'; at most "
                        + $"{MaximumSteps} are kept. Take ids out of step names.");
            }

            _order.Add(name);
            return _meters[name] = new StepMeter(isOpen);
        }
    }
}
