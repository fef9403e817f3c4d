namespace Workflow.Abstractions.Building;

/// <summary>
/// Where each step of a definition stands in code. A step with one way to it stands at that way; one where ways meet
/// stands after the step that all of them pass (its immediate dominator), as N. Ramsey places the blocks of any graph
/// in "Beyond Relooper" (2022); the ways that this leaves over are jumps, and so are those back to the head of a loop.
/// </summary>
internal sealed class StepPlacement
{
    private readonly IReadOnlyDictionary<string, IReadOnlyList<string>> _targets;
    private readonly List<string> _order;
    private readonly Dictionary<string, int> _index = new(StringComparer.Ordinal);
    private readonly Dictionary<string, List<string>> _sources = new(StringComparer.Ordinal);
    private readonly Dictionary<string, List<string>> _rest = new(StringComparer.Ordinal);
    private readonly Dictionary<string, int> _sizes = new(StringComparer.Ordinal);
    private readonly HashSet<string> _apart;

    /// <param name="targets">Where each step leads, the most natural way on first. Every step is reached.</param>
    /// <param name="joins">The joins, each with the step that splits.</param>
    public StepPlacement(
        string start, IReadOnlyDictionary<string, IReadOnlyList<string>> targets,
        IReadOnlyDictionary<string, string> joins)
    {
        _targets = targets;
        _apart = [.. joins.Keys];
        _order = ReversePostorder(start);
        for (var i = 0; i < _order.Count; i++)
        {
            _index[_order[i]] = i;
            _sources[_order[i]] = [];
            _rest[_order[i]] = [];
        }

        foreach (var (from, to) in targets.SelectMany(step => step.Value.Select(target => (step.Key, target))))
        {
            _sources[to].Add(from);
        }

        Place(joins);
    }

    /// <summary>Whether the step stands at its only way, which is the one from there.</summary>
    public bool IsInline(string from, string to) =>
        !_apart.Contains(to) && _index[from] < _index[to] && Forward(to).Count() == 1;

    /// <summary>The steps that stand after a step and all that stands at its ways: first its join.</summary>
    public IReadOnlyList<string> RestOf(string id) => _rest[id];

    /// <summary>A step with all that stands at its ways and after it.</summary>
    public int SizeOf(string id) => _sizes[id];

    /// <summary>Says that a step does not stand at its only way.</summary>
    public void SetApart(string id) => _apart.Add(id);

    private IEnumerable<string> Forward(string to) => _sources[to].Where(from => _index[from] < _index[to]);

    // Successors in reverse, so that the first of them, with all that follows it, comes before the others.
    private List<string> ReversePostorder(string start)
    {
        List<string> order = [];
        var seen = new HashSet<string>(StringComparer.Ordinal) { start };
        var path = new Stack<(string Id, int Left)>([(start, _targets[start].Count)]);
        while (path.TryPop(out var step))
        {
            if (step.Left == 0)
            {
                order.Add(step.Id);
                continue;
            }

            path.Push((step.Id, step.Left - 1));
            var target = _targets[step.Id][step.Left - 1];
            if (seen.Add(target))
            {
                path.Push((target, _targets[target].Count));
            }
        }

        order.Reverse();
        return order;
    }

    private void Place(IReadOnlyDictionary<string, string> joins)
    {
        var dominators = Dominators();
        var parents = new string?[_order.Count];
        for (var i = 1; i < _order.Count; i++)
        {
            var id = _order[i];
            if (joins.TryGetValue(id, out var split))
            {
                parents[i] = split;
                _rest[split].Insert(0, id);
                continue;
            }

            var sources = Forward(id).ToList();
            var parent = sources.Count == 1 ? sources[0] : _order[dominators[i]];
            parents[i] = parent;
            if (sources.Count > 1)
            {
                _rest[parent].Add(id);
            }
        }

        for (var i = _order.Count - 1; i >= 0; i--)
        {
            _sizes[_order[i]] = _sizes.GetValueOrDefault(_order[i]) + 1;
            if (parents[i] is { } around)
            {
                _sizes[around] = _sizes.GetValueOrDefault(around) + _sizes[_order[i]];
            }
        }
    }

    /// <summary>Cooper, Harvey and Kennedy: "A simple, fast dominance algorithm" (2001).</summary>
    private int[] Dominators()
    {
        var dominators = new int[_order.Count];
        Array.Fill(dominators, -1);
        dominators[0] = 0;
        var changes = true;
        while (changes)
        {
            changes = false;
            for (var i = 1; i < _order.Count; i++)
            {
                var common = -1;
                foreach (var source in _sources[_order[i]].Select(source => _index[source])
                    .Where(source => dominators[source] >= 0))
                {
                    common = common < 0 ? source : Common(dominators, common, source);
                }

                changes |= dominators[i] != common;
                dominators[i] = common;
            }
        }

        return dominators;
    }

    private static int Common(int[] dominators, int one, int other)
    {
        while (one != other)
        {
            (one, other) = one > other ? (dominators[one], other) : (one, dominators[other]);
        }

        return one;
    }
}
