using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Checks that every step named exists and that every step is reached; forks and joins are left to
/// <see cref="ForkChecks"/>.</summary>
/// <param name="types">The type of every step; empty where it is not known.</param>
/// <param name="edges">Every edge between steps.</param>
internal sealed class StepGraph(
    IReadOnlyDictionary<string, string> types, IReadOnlyList<StepEdge> edges, ICollection<DefinitionError> errors)
{
    // Looking for a close name compares with every step; a body of nothing but dangling names must not make that expensive.
    private const int MaxSuggestions = 50;

    private readonly List<StepEdge> _ways = [];
    private int _suggestions;

    public void Check()
    {
        foreach (var edge in edges)
        {
            Resolve(edge);
        }

        CheckReached();
        new ForkChecks(types, _ways, errors).Check(IsComplete());
    }

    // A step that should lead on and does not has an error of its own, and hides where its branch ends.
    private bool IsComplete()
    {
        var leading = _ways.Where(edge => edge.Follows).Select(edge => edge.From).ToHashSet(StringComparer.Ordinal);
        return types.All(step => step.Value is "end" or "fail" || (step.Value.Length > 0 && leading.Contains(step.Key)));
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
        var who = edge.From.Length == 0 ? "The definition starts at" : $"Step '{DefinitionPath.Shorten(edge.From)}' leads to";
        var notification = close is null ? "add the step, or name one that exists" : $"did you mean '{close}'?";
        errors.Add(new DefinitionError(edge.Path,
            $"{who} '{DefinitionPath.Shorten(edge.To)}', which is no step; {notification}{(close is null ? "." : "")}"));
        if (close is not null)
        {
            _ways.Add(edge with { To = close });
        }
    }

    private void CheckReached()
    {
        var onward = _ways.Where(edge => edge.Follows).ToLookup(edge => edge.From, edge => edge.To, StringComparer.Ordinal);
        if (!onward.Contains(""))
        {
            return;
        }

        var start = onward[""].First();
        var reached = new HashSet<string>(StringComparer.Ordinal) { start };
        var pending = new Queue<string>(reached);
        while (pending.TryDequeue(out var step))
        {
            foreach (var next in onward[step].Where(reached.Add))
            {
                pending.Enqueue(next);
            }
        }

        foreach (var lonely in types.Keys.Where(step => !reached.Contains(step)))
        {
            var message =
                $"Step '{DefinitionPath.Shorten(lonely)}' is unreachable from the start step '{start}'; lead a path to it, or remove it.";
            errors.Add(new DefinitionError(DefinitionPath.Member("steps", lonely), message));
        }
    }
}

/// <summary>An edge from one step to another.</summary>
/// <param name="From">The step; empty for the start of the definition.</param>
/// <param name="Path">The member that names the target.</param>
/// <param name="To">The step named, which may not exist.</param>
/// <param name="Follows">False for a fork's join, which is named but not stepped to.</param>
internal readonly record struct StepEdge(string From, string Path, string To, bool Follows);
