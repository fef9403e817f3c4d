using System.Collections.Frozen;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// Checks that every step named exists and that every step is reached; forks, joins and sub-processes are left to
/// <see cref="ScopeChecks"/>.
/// </summary>
/// <param name="types">The type of every step; empty where it is not known.</param>
/// <param name="edges">Every edge between steps.</param>
internal sealed class StepGraph(
    IReadOnlyDictionary<string, string> types, IReadOnlyList<StepEdge> edges, ICollection<DefinitionError> errors)
{
    // Looking for a close name compares with every step; a body of nothing but dangling names must not make that
    // expensive.
    private const int MaxSuggestions = 50;

    private readonly List<StepEdge> _ways = [];
    private int _suggestions;

    /// <returns>Inside what each step runs that was reached.</returns>
    public IReadOnlyDictionary<string, StepScope?> Check()
    {
        foreach (var edge in edges)
        {
            Resolve(edge);
        }

        CheckReached();
        return new ScopeChecks(types, _ways, errors).Check(IsComplete());
    }

    /// <summary>
    /// Steps that handle an error: only an <c>onError</c> leads to them, or they lead to nothing but steps of type
    /// fail.
    /// </summary>
    public IReadOnlySet<string> FindErrorSteps()
    {
        if (!_ways.Exists(edge => edge.Kind == StepEdgeKind.Error))
        {
            return FrozenSet<string>.Empty;
        }

        var withoutErrors = _ways.Where(edge => edge.Follows && edge.Kind != StepEdgeKind.Error)
            .ToLookup(edge => edge.From, edge => edge.To, StringComparer.Ordinal);
        var backward = _ways.Where(edge => edge.Follows)
            .ToLookup(edge => edge.To, edge => edge.From, StringComparer.Ordinal);
        var reached = Reached(withoutErrors[""], withoutErrors);
        var ending = Reached(types.Where(step => step.Value == "end").Select(step => step.Key), backward);
        return types.Keys.Where(step => !reached.Contains(step) || !ending.Contains(step))
            .ToFrozenSet(StringComparer.Ordinal);
    }

    // A step that should lead on and does not has an error of its own, and hides where its branch ends.
    private bool IsComplete()
    {
        var leading = _ways.Where(edge => edge.Follows).Select(edge => edge.From).ToHashSet(StringComparer.Ordinal);
        return types.All(step => step.Value is "end" or "fail"
            || (step.Value.Length > 0 && leading.Contains(step.Key)));
    }

    // A dangling name with one close step is followed as if it were spelt right, so that one slip is one error.
    private void Resolve(StepEdge edge)
    {
        if (types.ContainsKey(edge.To))
        {
            _ways.Add(edge);
            return;
        }

        var close = _suggestions++ < MaxSuggestions ? Suggestion.Closest(edge.To, types.Keys) : null;
        var who = edge.From.Length == 0
            ? "The definition starts at"
            : $"Step '{DefinitionPath.Shorten(edge.From)}' leads to";
        var notification = close is null ? "add the step, or name one that exists" : $"did you mean '{close}'?";
        errors.Add(new DefinitionError(edge.Path,
            $"{who} '{DefinitionPath.Shorten(edge.To)}', which is no step; "
                + $"{notification}{(close is null ? "." : "")}"));
        if (close is not null)
        {
            _ways.Add(edge with { To = close });
        }
    }

    private void CheckReached()
    {
        var onward = _ways.Where(edge => edge.Follows)
            .ToLookup(edge => edge.From, edge => edge.To, StringComparer.Ordinal);
        if (!onward.Contains(""))
        {
            return;
        }

        var start = onward[""].First();
        var reached = Reached([start], onward);
        foreach (var lonely in types.Keys.Where(step => !reached.Contains(step)))
        {
            var message =
                $"Step '{DefinitionPath.Shorten(lonely)}' is unreachable from the start step '{start}'; lead a path to "
                    + "it, or remove it.";
            errors.Add(new DefinitionError(DefinitionPath.Member("steps", lonely), message));
        }
    }

    public static HashSet<string> Reached(IEnumerable<string> from, ILookup<string, string> ways)
    {
        var reached = new HashSet<string>(from, StringComparer.Ordinal);
        var pending = new Queue<string>(reached);
        while (pending.TryDequeue(out var step))
        {
            foreach (var next in ways[step].Where(reached.Add))
            {
                pending.Enqueue(next);
            }
        }

        return reached;
    }
}
