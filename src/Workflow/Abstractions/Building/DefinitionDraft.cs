namespace Workflow.Abstractions.Building;

/// <summary>What was built so far.</summary>
internal sealed class DefinitionDraft
{
    private readonly List<StepDraft> _steps = [];
    private readonly List<StepExit> _exits = [];
    private readonly HashSet<string> _ids = new(StringComparer.Ordinal);
    private readonly List<DefinitionError> _misuses = [];

    public StepDraft Add(string id, string type)
    {
        var step = new StepDraft(this, id, type);
        if (!_ids.Add(id))
        {
            Misuse(step.Path, $"Step '{DefinitionPath.Shorten(id)}' is added twice; give each step an id of its own.");
        }

        _steps.Add(step);
        return step;
    }

    /// <param name="missing">The error when nothing says where it leads.</param>
    public StepExit Exit(string path, string missing)
    {
        var exit = new StepExit(path, missing);
        _exits.Add(exit);
        return exit;
    }

    public void Misuse(string path, string message) => _misuses.Add(new DefinitionError(path, message));

    /// <summary>What only the builder can know.</summary>
    public IReadOnlyList<DefinitionError> Errors =>
        [.. _misuses,
            .. Open.DistinctBy(exit => exit.Missing).Select(exit => new DefinitionError(exit.Path, exit.Missing))];

    /// <summary>Where the builder has said it already.</summary>
    public IReadOnlySet<string> KnownPaths =>
        _misuses.Select(error => error.Path).Concat(Open.Select(exit => exit.Path)).ToHashSet(StringComparer.Ordinal);

    public string Json => JsonText.Object(_steps.Select(step => (step.Id, step.Json)));

    private IEnumerable<StepExit> Open => _exits.Where(exit => exit.Target is null);
}
