using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Abstractions.Building;

/// <summary>
/// Builds a definition in C#. Steps follow each other in the order of the calls; what is built is checked by the
/// engine's own compiler, all of it at once. Not safe to use from several threads.
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
    /// <param name="result">
    /// The variable that takes the payload; without it the payload's members become the first variables.
    /// </param>
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
    /// <param name="rules">
    /// Known activities and reserved events; null checks neither; the engine does when it registers.
    /// </param>
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
        return new DefinitionCompilation(
            null, [.. errors, .. compilation.Errors.Where(error => !known.Contains(error.Path))]);
    }

    private WorkflowBuilder With(string name, string json)
    {
        _members.Add((name, json));
        return this;
    }
}
