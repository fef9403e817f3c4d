using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Definitions;

namespace Workflow.Abstractions.Building;

/// <summary>
/// Builds a definition in C#. Steps follow each other in the order of the calls; what is built is checked by the engine's own compiler, all
/// of it at once. Not safe to use from several threads.
/// </summary>
public sealed class WorkflowBuilder
{
    private readonly DefinitionDraft _draft = new();
    private readonly List<(string Name, string Json)> _members;
    private readonly List<string> _startSignals = [];
    private readonly FlowBuilder _flow;
    private readonly StepExit _start;

    /// <param name="name">Name, 1 to 128 of letters, digits, dot, underscore and hyphen.</param>
    /// <param name="version">Version, 1 or more.</param>
    public WorkflowBuilder(string name, int version)
    {
        _members = [("name", JsonText.Quote(name)), ("version", JsonText.Number(version))];
        _start = _draft.Exit("start", "The definition has no steps; add them by Steps(flow => flow…).");
        _flow = new FlowBuilder(_draft, _start);
    }

    /// <summary>What a person calls it, 1 to 256 characters.</summary>
    public WorkflowBuilder Title(string title) => With("title", JsonText.Quote(title));

    /// <summary>What a person should know of it, 1 to 16,384 characters.</summary>
    public WorkflowBuilder Documentation(string text) => With("documentation", JsonText.Quote(text));

    /// <summary>What it was made from, e.g. a process of a BPMN model. At least one is given.</summary>
    public WorkflowBuilder Source(string? element = null, int? line = null, string? document = null) =>
        With("source", JsonText.Source(element, line, document));

    /// <summary>A signal that starts an instance when no wait takes it. May be called for several.</summary>
    /// <param name="result">The variable that takes the payload; without it the payload's members become the first variables.</param>
    public WorkflowBuilder StartOn(string signal, string? result = null)
    {
        List<(string, string)> members = [("signal", JsonText.Quote(signal))];
        if (result is not null)
        {
            members.Add(("result", JsonText.Quote(result)));
        }

        _startSignals.Add(JsonText.Object(members));
        return this;
    }

    /// <summary>Adds steps: the first of all is the start. May be called again to go on.</summary>
    public WorkflowBuilder Steps(Action<FlowBuilder> steps)
    {
        steps(_flow);
        return this;
    }

    /// <summary>Checks and compiles what was built.</summary>
    /// <param name="rules">Known activities and reserved events; null checks neither; the engine does when it registers.</param>
    /// <exception cref="DefinitionInvalidException">It has errors; each is listed with its place.</exception>
    public WorkflowDefinition Build(DefinitionRules? rules = null)
    {
        var compilation = Compile(rules);
        return compilation.Definition ?? throw new DefinitionInvalidException(compilation.Errors);
    }

    /// <summary>As <see cref="Build"/>, with errors as a result.</summary>
    public DefinitionCompilation Compile(DefinitionRules? rules = null)
    {
        List<(string Name, string Json)> members = [.. _members, .. _start.Members, ("steps", _draft.Json)];
        if (_startSignals.Count > 0)
        {
            members.Add(("startOn", JsonText.List(_startSignals)));
        }

        var json = Encoding.UTF8.GetBytes(JsonText.Object(members));
        var compilation = DefinitionCompiler.Compile(json, rules ?? new DefinitionRules());
        var errors = _draft.Errors;
        if (errors.Count == 0)
        {
            return compilation;
        }

        // The compiler reports the same from its side: the member that is missing, the id that is there twice.
        var known = _draft.KnownPaths;
        return new DefinitionCompilation(null, [.. errors, .. compilation.Errors.Where(error => !known.Contains(error.Path))]);
    }

    private WorkflowBuilder With(string name, string json)
    {
        _members.Add((name, json));
        return this;
    }
}

/// <summary>Registers what was built.</summary>
public static class DefinitionRegistration
{
    /// <summary>Registers a definition. The same content again changes nothing.</summary>
    /// <returns>The definition, and whether it was new.</returns>
    /// <exception cref="DefinitionInvalidException">It has errors, e.g. an activity that the engine does not know.</exception>
    /// <exception cref="DefinitionConflictException">Name and version are taken by other content.</exception>
    public static Task<(DefinitionInfo Definition, bool Created)> RegisterDefinitionAsync(
        this IWorkflowEngine engine, WorkflowDefinition definition, CancellationToken cancellationToken = default) =>
        engine.RegisterDefinitionAsync(Encoding.UTF8.GetBytes(definition.CanonicalJson), cancellationToken);
}

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
        [.. _misuses, .. Open.DistinctBy(exit => exit.Missing).Select(exit => new DefinitionError(exit.Path, exit.Missing))];

    /// <summary>Where the builder has said it already.</summary>
    public IReadOnlySet<string> KnownPaths =>
        _misuses.Select(error => error.Path).Concat(Open.Select(exit => exit.Path)).ToHashSet(StringComparer.Ordinal);

    public string Json => JsonText.Object(_steps.Select(step => (step.Id, step.Json)));

    private IEnumerable<StepExit> Open => _exits.Where(exit => exit.Target is null);
}

/// <summary>A step as it is built: its members in the order given.</summary>
internal sealed class StepDraft(DefinitionDraft definition, string id, string type)
{
    // Most are known at once; where a step leads is known when everything was built.
    private readonly List<Func<IEnumerable<(string Name, string Json)>>> _members = [Known("type", JsonText.Quote(type))];

    public string Id { get; } = id;
    public string Path { get; } = DefinitionPath.Member("steps", id);
    public string Json => JsonText.Object(_members.SelectMany(member => member()));

    public void Set(string name, string json) => _members.Add(Known(name, json));
    public void Set(string name, Func<string> json) => _members.Add(() => [(name, json())]);

    /// <summary>Adds a member that names a step.</summary>
    public StepExit Exit(string name)
    {
        var exit = ExitWithin(name);
        _members.Add(() => exit.Members);
        return exit;
    }

    /// <summary>Something within a member that names a step.</summary>
    /// <param name="place">Where it stands, e.g. <c>cases[0].next</c>.</param>
    public StepExit ExitWithin(string place) => definition.Exit(
        $"{Path}.{place}", place == "start"
        ? $"Sub-process '{DefinitionPath.Shorten(Id)}' has no steps; add them in its lambda."
        : place == "join" || place.StartsWith("branches", StringComparison.Ordinal)
        ? $"Step '{DefinitionPath.Shorten(Id)}' has no join; call Join after it."
        : $"Step '{DefinitionPath.Shorten(Id)}' leads nowhere: nothing comes after it; add a step there, close the path with End or Fail, "
            + "or name a step with GoTo.");

    private static Func<IEnumerable<(string Name, string Json)>> Known(string name, string json) => () => [(name, json)];
}

/// <summary>A place that names the step to go to, once that is known.</summary>
internal sealed class StepExit(string path, string missing)
{
    public string Path => path;
    public string Missing => missing;
    public string? Target { get; set; }

    /// <summary>The target as JSON; empty while it is open.</summary>
    public string Json => JsonText.Quote(Target ?? "");

    /// <summary>The member by the last word of the path, or none while it is open.</summary>
    public IEnumerable<(string Name, string Json)> Members => Target is null ? [] : [(path[(path.LastIndexOf('.') + 1)..], Json)];
}
