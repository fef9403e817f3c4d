namespace Workflow.Bpmn;

/// <summary>
/// The variables of the processes of a file, with those of the processes that each calls with all of its own. Processes
/// that call one another in a circle have the same. Each circle is looked at once, behind those that it calls: the
/// strongly connected components of the calls (Tarjan, Depth-first search and linear graph algorithms, 1972).
/// </summary>
internal sealed class ProcessCalls
{
    private readonly CancellationToken _cancellationToken;
    private readonly Dictionary<string, ProcessImport> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<ProcessImport, int> _order = [];
    private readonly Stack<ProcessImport> _open = [];
    private readonly Dictionary<ProcessImport, HashSet<string>> _variables = [];

    /// <summary>Resolves each process, those that it calls before it.</summary>
    public ProcessCalls(IReadOnlyList<ProcessImport> processes, CancellationToken cancellationToken)
    {
        _cancellationToken = cancellationToken;
        foreach (var process in processes)
        {
            _byName.TryAdd(process.Name, process);
        }

        foreach (var process in processes.Where(process => !_order.ContainsKey(process)))
        {
            Visit(process);
        }
    }

    /// <summary>
    /// The variables that a process reads which is called with all. Past what is imported no more of them.
    /// </summary>
    public IReadOnlyCollection<string> VariablesOf(string process) =>
        _byName.TryGetValue(process, out var known) && _variables.TryGetValue(known, out var variables)
            ? variables
            : [];

    // Calls itself once for each process at most, of which a file has few.
    private int Visit(ProcessImport process)
    {
        var own = _order.Count;
        var first = own;
        _order.Add(process, own);
        _open.Push(process);
        foreach (var name in process.CalledWithAll)
        {
            if (_byName.TryGetValue(name, out var called) && !_variables.ContainsKey(called))
            {
                first = Math.Min(first, _order.TryGetValue(called, out var before) ? before : Visit(called));
            }
        }

        if (first == own)
        {
            Resolve(process);
        }

        return first;
    }

    private void Resolve(ProcessImport first)
    {
        _cancellationToken.ThrowIfCancellationRequested();
        List<ProcessImport> circle = [];
        do
        {
            circle.Add(_open.Pop());
        }
        while (circle[^1] != first);
        Unite(circle);
        circle.ForEach(process => process.Resolve(this, new HashSet<string>()));
        Unite(circle);
    }

    private void Unite(List<ProcessImport> circle)
    {
        HashSet<string> variables = new(StringComparer.Ordinal);
        foreach (var names in circle.Select(process => process.Variables)
            .Concat(circle.SelectMany(process => process.CalledWithAll).Distinct().Select(VariablesOf)))
        {
            // Past what is imported they are refused, however many more there are.
            variables.UnionWith(names.TakeWhile(_ => variables.Count <= ProcessImport.MaxVariables));
        }

        circle.ForEach(process => _variables[process] = variables);
    }
}
