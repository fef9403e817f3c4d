using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// Checks that forks and joins nest. Every step is given the stack of forks it runs inside, as a verifier of byte code types the stack: a
/// fork pushes, its join pops, and a step that is reached with two different stacks, or a join reached with another fork on top, is an
/// error. Then every step of a branch must be able to get to the join, or to an end or fail.
/// </summary>
internal sealed class ForkChecks(
    IReadOnlyDictionary<string, string> types, IReadOnlyList<StepEdge> edges, ICollection<DefinitionError> errors)
{
    private readonly Dictionary<string, string> _joinOfFork = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _forkOfJoin = new(StringComparer.Ordinal);
    private readonly Dictionary<string, BranchScope?> _scopes = new(StringComparer.Ordinal);
    private readonly HashSet<string> _misplaced = new(StringComparer.Ordinal);
    private readonly ILookup<string, StepEdge> _onward =
        edges.Where(edge => edge.Follows && types.ContainsKey(edge.To)).ToLookup(edge => edge.From, StringComparer.Ordinal);

    /// <summary>Adds what is wrong.</summary>
    /// <param name="complete">False when errors already found hide edges: then a missing end of a branch proves nothing.</param>
    public void Check(bool complete)
    {
        var before = errors.Count;
        PairForksAndJoins();
        if (errors.Count > before)
        {
            return;
        }

        Walk();
        if (complete && errors.Count == before)
        {
            CheckWaysOut();
        }
    }

    private void PairForksAndJoins()
    {
        foreach (var edge in edges.Where(edge => !edge.Follows && types.ContainsKey(edge.To)))
        {
            if (types[edge.To] != "join")
            {
                Add(edge.Path,
                    $"Fork '{edge.From}' names '{edge.To}' as its join, but that is a step of type '{types[edge.To]}'; name a step "
                    + "of type 'join'.");
            }
            else if (!_forkOfJoin.TryAdd(edge.To, edge.From))
            {
                Add(edge.Path,
                    $"Join '{edge.To}' already belongs to fork '{_forkOfJoin[edge.To]}'; give fork '{edge.From}' a join of its own.");
            }

            _joinOfFork[edge.From] = edge.To;
        }

        foreach (var join in types.Where(step => step.Value == "join" && !_forkOfJoin.ContainsKey(step.Key)))
        {
            Add(DefinitionPath.Member("steps", join.Key),
                $"Join '{join.Key}' belongs to no fork; name it as the 'join' of a step of type fork or inclusive, or remove it.");
        }
    }

    private void Walk()
    {
        var pending = new Queue<(StepEdge Edge, BranchScope? Scope)>(_onward[""].Take(1).Select(edge => (edge, (BranchScope?)null)));
        while (pending.TryDequeue(out var arrival))
        {
            var (edge, scope) = arrival;
            if (types[edge.To] == "join" && !Leaves(edge, ref scope))
            {
                continue;
            }

            if (!_scopes.TryAdd(edge.To, scope))
            {
                CheckSame(edge, scope);
                continue;
            }

            var inside = _joinOfFork.TryGetValue(edge.To, out var join) ? new BranchScope(edge.To, join, scope) : scope;
            foreach (var onward in _onward[edge.To])
            {
                pending.Enqueue((onward, inside));
            }
        }
    }

    // At its own join a branch ends, and what follows runs in the scope around the fork.
    private bool Leaves(StepEdge edge, ref BranchScope? scope)
    {
        if (scope is not null && scope.Join == edge.To)
        {
            scope = scope.Around;
            return true;
        }

        if (_misplaced.Add(edge.To))
        {
            Add(edge.Path, $"Join '{edge.To}' waits for the branches of fork '{_forkOfJoin[edge.To]}', but is reached here {Shown(scope)}; "
                + "lead to it only from those branches.");
        }

        return false;
    }

    private void CheckSame(StepEdge edge, BranchScope? scope)
    {
        // Nothing follows an end or fail, so that every side may share it.
        var known = _scopes[edge.To];
        if (types[edge.To] is not ("end" or "fail") && !ReferenceEquals(known, scope) && _misplaced.Add(edge.To))
        {
            Add(edge.Path, $"Step '{edge.To}' is reached here {Shown(scope)}, and elsewhere {Shown(known)}; "
                + "a branch leaves its fork only through its join, or in a step of type end or fail. Give each side a step of its own.");
        }
    }

    private void CheckWaysOut()
    {
        var inward = edges.Where(edge => edge.Follows).ToLookup(edge => edge.To, edge => edge.From, StringComparer.Ordinal);
        foreach (var branch in _scopes.Where(step => step.Value is not null).GroupBy(step => step.Value!.Fork))
        {
            var ends = types.Where(step => step.Value is "end" or "fail").Select(step => step.Key);
            var leads = Before([_joinOfFork[branch.Key], .. ends], inward);
            foreach (var (step, _) in branch.Where(step => !leads.Contains(step.Key)))
            {
                Add(DefinitionPath.Member("steps", step), $"Step '{step}' is in a branch of fork '{branch.Key}' and never gets to its join "
                    + $"'{_joinOfFork[branch.Key]}', nor to a step of type end or fail; lead a path there.");
            }
        }
    }

    private static HashSet<string> Before(IEnumerable<string> targets, ILookup<string, string> inward)
    {
        var found = new HashSet<string>(targets, StringComparer.Ordinal);
        var pending = new Queue<string>(found);
        while (pending.TryDequeue(out var step))
        {
            foreach (var earlier in inward[step].Where(found.Add))
            {
                pending.Enqueue(earlier);
            }
        }

        return found;
    }

    private static string Shown(BranchScope? scope) => scope is null ? "outside every fork" : $"inside fork '{scope.Fork}'";
    private void Add(string path, string message) => errors.Add(new DefinitionError(path, message));
}

/// <summary>Inside which forks a step runs: the innermost, and those around it; null is outside every fork. One object per fork.</summary>
internal sealed record BranchScope(string Fork, string Join, BranchScope? Around);
