using System.Collections.Concurrent;

namespace LoadTesting.Core.Load;

/// <summary>The meters of a scenario's steps by name. Bounded: a step name with an id in it would fill the memory.</summary>
internal sealed class StepMeters(string scenarioName, bool isOpen)
{
    internal const int MaximumSteps = 200;

    private readonly ConcurrentDictionary<string, Meter> _meters = new(StringComparer.Ordinal);
    private readonly List<string> _order = [];
    private readonly Lock _gate = new();

    /// <exception cref="InvalidOperationException">One step name too many.</exception>
    internal Meter Of(string name) => _meters.TryGetValue(name, out var meter) ? meter : Add(name);

    internal IReadOnlyList<(string Name, Meter Meter)> InOrder()
    {
        lock (_gate)
        {
            return [.. _order.Select(name => (name, _meters[name]))];
        }
    }

    private Meter Add(string name)
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
                    $"Step '{name}' would be number {_order.Count + 1} of scenario '{scenarioName}'; at most {MaximumSteps} are kept. Take ids out of step names.");
            }

            _order.Add(name);
            return _meters[name] = new Meter(isOpen);
        }
    }
}
