namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// Checks that forks, joins and sub-processes nest. Every step is given the stack of scopes it runs inside, as a
/// verifier of byte code types the stack: a fork pushes, its join pops, a sub-process pushes for what is inside, and a
/// step that is reached with two different stacks, or a join reached with another fork on top, is an error. Then every
/// step of a branch must be able to get to the join, or to an end or fail.
/// </summary>
internal sealed class ScopeChecks(
    IReadOnlyDictionary<string, string> types, IReadOnlyList<StepEdge> edges, ICollection<DefinitionError> errors)
{
    private readonly Dictionary<string, string> _joinOfFork = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _forkOfJoin = new(StringComparer.Ordinal);
    private readonly Dictionary<string, StepScope?> _scopes = new(StringComparer.Ordinal);
    private readonly HashSet<string> _misplaced = new(StringComparer.Ordinal);
    private readonly ILookup<string, StepEdge> _onward =
        edges.Where(edge => edge.Follows && types.ContainsKey(edge.To))
            .ToLookup(edge => edge.From, StringComparer.Ordinal);

    /// <summary>Adds what is wrong.</summary>
    /// <param name="complete">
    /// False when errors already found hide edges: then a missing end of a branch proves nothing.
    /// </param>
    /// <returns>Inside what each step runs that was reached; null outside of everything.</returns>
    public IReadOnlyDictionary<string, StepScope?> Check(bool complete)
    {
        var before = errors.Count;
        PairForksAndJoins();
        if (errors.Count > before)
        {
            return _scopes;
        }

        Walk();
        if (complete && errors.Count == before)
        {
            CheckWaysOut();
        }

        return _scopes;
    }

    private void PairForksAndJoins()
    {
        foreach (var edge in edges.Where(edge => !edge.Follows && types.ContainsKey(edge.To)))
        {
            if (types[edge.To] != "join")
            {
                Add(edge.Path,
                    $"Fork '{edge.From}' names '{edge.To}' as its join, but that is a step of type '{types[edge.To]}'; "
                        + "name a step of type 'join'.");
            }
            else if (!_forkOfJoin.TryAdd(edge.To, edge.From))
            {
                Add(edge.Path,
                    $"Join '{edge.To}' already belongs to fork '{_forkOfJoin[edge.To]}'; give fork '{edge.From}' a "
                        + "join of its own.");
            }

            _joinOfFork[edge.From] = edge.To;
        }

        foreach (var join in types.Where(step => step.Value == "join" && !_forkOfJoin.ContainsKey(step.Key)))
        {
            Add(DefinitionPath.Member("steps", join.Key),
                $"Join '{join.Key}' belongs to no fork; name it as the 'join' of a step of type fork or inclusive, or "
                    + "remove it.");
        }
    }

    private void Walk()
    {
        var pending =
            new Queue<(StepEdge Edge, StepScope? Scope)>(_onward[""].Take(1).Select(edge => (edge, (StepScope?)null)));
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

            var inside = _joinOfFork.TryGetValue(edge.To, out var join) || types[edge.To] == "subProcess"
                ? new StepScope(edge.To, join, scope) : scope;
            foreach (var onward in _onward[edge.To])
            {
                pending.Enqueue((onward, onward.Kind == StepEdgeKind.Inside || join is not null ? inside : scope));
            }
        }
    }

    // At its own join a branch ends, and what follows runs in the scope around the fork.
    private bool Leaves(StepEdge edge, ref StepScope? scope)
    {
        if (scope is not null && scope.Join == edge.To)
        {
            scope = scope.Around;
            return true;
        }

        if (_misplaced.Add(edge.To))
        {
            Add(edge.Path, $"Join '{edge.To}' waits for the branches of fork '{_forkOfJoin[edge.To]}', but is reached "
                + $"here {Shown(scope)}; lead to it only from those branches.");
        }

        return false;
    }

    private void CheckSame(StepEdge edge, StepScope? scope)
    {
        var known = _scopes[edge.To];
        var (here, there) = (scope?.SubProcess, known?.SubProcess);
        if (here != there && _misplaced.Add(edge.To))
        {
            Add(edge.Path, $"Step '{edge.From}' leads to step '{edge.To}' {ShownInside(here)}, but that is reached "
                + "elsewhere "
                + $"{ShownInside(there)}. A sub-process is entered only through its 'start', and left through steps of "
                + "type end alone: give each side a step of its own.");
        }

        // Nothing follows an end or fail, so that every side may share it.
        if (here == there && types[edge.To] is not ("end" or "fail") && !ReferenceEquals(known, scope)
            && _misplaced.Add(edge.To))
        {
            Add(edge.Path, $"Step '{edge.To}' is reached here {Shown(scope)}, and elsewhere {Shown(known)}; "
                + "a branch leaves its fork only through its join, or in a step of type end or fail. Give each side a "
                + "step of its own.");
        }
    }

    private void CheckWaysOut()
    {
        var inward = edges.Where(edge => edge.Follows)
            .ToLookup(edge => edge.To, edge => edge.From, StringComparer.Ordinal);
        foreach (var branch in _scopes.Where(step => step.Value?.Join is not null).GroupBy(step => step.Value!.Owner))
        {
            var ends = types.Where(step => step.Value is "end" or "fail").Select(step => step.Key);
            var leads = StepGraph.Reached([_joinOfFork[branch.Key], .. ends], inward);
            foreach (var (step, _) in branch.Where(step => !leads.Contains(step.Key)))
            {
                Add(DefinitionPath.Member("steps", step), $"Step '{step}' is in a branch of fork '{branch.Key}' and "
                    + "never gets to its join "
                    + $"'{_joinOfFork[branch.Key]}', nor to a step of type end or fail; lead a path there.");
            }
        }
    }

    private static string Shown(StepScope? scope)
    {
        if (scope is null)
        {
            return "outside every fork";
        }

        return scope.Join is null ? ShownInside(scope.Owner) : $"inside fork '{scope.Owner}'";
    }

    private static string ShownInside(string? subProcess) =>
        subProcess is null ? "outside of every sub-process" : $"inside sub-process '{subProcess}'";

    private void Add(string path, string message) => errors.Add(new DefinitionError(path, message));
}
