using System.Collections.Frozen;

namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Reads one definition and collects its errors.</summary>
internal sealed class DefinitionReader
{
    private static readonly Member Type = new("type", MemberKind.StepType, true);
    private readonly DefinitionRules _rules;
    private readonly List<DefinitionError> _errors = [];
    private readonly List<StepEdge> _edges = [];
    private readonly Dictionary<string, string> _types = new(StringComparer.Ordinal);
    private readonly Dictionary<string, StepDefinition> _steps = new(StringComparer.Ordinal);
    private readonly HashSet<string> _outputs = new(StringComparer.Ordinal);
    private readonly MemberReader _members;
    private IReadOnlySet<string> _errorSteps = FrozenSet<string>.Empty;
    private IReadOnlyDictionary<string, string> _surroundings = FrozenDictionary<string, string>.Empty;

    public DefinitionReader(DefinitionRules rules)
    {
        _rules = rules;
        _members = new MemberReader(rules, _errors, _edges);
    }

    public DefinitionCompilation Read(JsonElement root)
    {
        if (root.ValueKind != JsonValueKind.Object)
        {
            Add("", "A definition is a JSON object: { \"name\": …, \"version\": …, \"start\": …, \"steps\": { … } }.");
            return Refused();
        }

        if (!JsonChecks.Check(root, "", _errors))
        {
            return Refused();
        }

        var values = _members.Read(root, "", "definition", DefinitionMembers.Definition, "");
        if (root.TryGetProperty("steps", out var steps) && ReadSteps(steps))
        {
            var graph = new StepGraph(_types, _edges, _errors);
            var scopes = graph.Check();
            _errorSteps = graph.FindErrorSteps();
            _surroundings = scopes.Where(scope => scope.Value is not null)
                .ToFrozenDictionary(scope => scope.Key, scope => scope.Value!.Owner, StringComparer.Ordinal);
            foreach (var step in _outputs.Where(step => scopes.GetValueOrDefault(step)?.SubProcess is not null))
            {
                Add(DefinitionPath.Member(DefinitionPath.Member("steps", step), "output"), $"Step '{step}' ends a "
                    + "token inside sub-process "
                    + $"'{scopes[step]!.SubProcess}', which has no output; set a variable instead.");
            }
        }

        return _errors.Count > 0 ? Refused() : new DefinitionCompilation(Make(root, values), []);
    }

    private WorkflowDefinition Make(JsonElement root, MemberValues values)
    {
        var canonical = CanonicalJson.Write(root, without: DefinitionMembers.Layout);
        return new WorkflowDefinition
        {
            Name = values.Get<string>("name"),
            Version = values.Get<int>("version"),
            Start = values.Get<string>("start"),
            StartOn = values.GetOr<IReadOnlyList<StartSignal>>("startOn", []),
            Steps = _steps.ToFrozenDictionary(StringComparer.Ordinal),
            ErrorSteps = _errorSteps,
            Surroundings = _surroundings,
            Title = values.Text("title"),
            Documentation = values.Text("documentation"),
            Source = values.Source,
            CanonicalJson = canonical,
            ContentHash = CanonicalJson.Hash(canonical),
            Layout = values.Layout,
            Json = values.Layout is null ? canonical : CanonicalJson.Write(root),
        };
    }

    private bool ReadSteps(JsonElement steps)
    {
        if (steps.ValueKind != JsonValueKind.Object || steps.GetPropertyCount() is 0 or > DefinitionCompiler.MaxSteps)
        {
            var found = steps.ValueKind == JsonValueKind.Object ? $"{steps.GetPropertyCount()} steps" : "no object";
            Add("steps", $"Expected an object with 1 to {DefinitionCompiler.MaxSteps} steps by id, but found {found}."
                + " Move a part of a large definition into one of its own, and call it.");
            return false;
        }

        foreach (var step in steps.EnumerateObject())
        {
            ReadStep(step.Name, step.Value, DefinitionPath.Member("steps", step.Name));
        }

        return true;
    }

    private void ReadStep(string id, JsonElement element, string path)
    {
        _types[id] = "";
        if (NameRule.Problem(id) is { } problem)
        {
            Add(path, problem);
        }

        if (element.ValueKind != JsonValueKind.Object)
        {
            Add(path, "A step is an object with a type, e.g. { \"type\": \"end\" }.");
            return;
        }

        if (TypeOf(element, path) is not { } type)
        {
            GuessEdges(id, element, path);
            return;
        }

        _types[id] = type.Name;
        if (type.Has("output") && element.TryGetProperty("output", out _))
        {
            _outputs.Add(id);
        }

        var before = _errors.Count;
        var values = _members.Read(
            element, path, $"step of type '{type.Name}'", [Type, .. type.Members, .. DefinitionMembers.Metadata], id);
        CheckTogether(type, element, path);
        if (_errors.Count == before)
        {
            _steps[id] = type.Make(id, values) with
            {
                Title = values.Text("title"), Documentation = values.Text("documentation"), Source = values.Source,
            };
        }
    }

    private StepType? TypeOf(JsonElement element, string path)
    {
        var names = DefinitionMembers.StepTypes.Keys.Order(StringComparer.Ordinal);
        if (!element.TryGetProperty("type", out var type) || type.ValueKind != JsonValueKind.String)
        {
            Add($"{path}.type", $"The type of the step is missing or no text; known are: {string.Join(", ", names)}.");
            return null;
        }

        var name = type.GetString()!;
        if (!DefinitionMembers.StepTypes.TryGetValue(name, out var found))
        {
            var shown = DefinitionPath.Shorten(name);
            Add($"{path}.type",
                $"Unknown step type '{shown}'.{Suggestion.For(name, names)} Known are: {string.Join(", ", names)}.");

            // One slip is one error: the rest of the step is checked as what was probably meant.
            return Suggestion.Closest(name, names) is { } close ? DefinitionMembers.StepTypes[close] : null;
        }

        return found;
    }

    // A step of unknown type still leads somewhere; without its edges every step behind it would be reported as
    // unreachable.
    private void GuessEdges(string id, JsonElement element, string path)
    {
        foreach (var member in element.EnumerateObject()
            .Where(member => member.Value.ValueKind == JsonValueKind.String))
        {
            if (member.Name is "start" or "next" or "otherwise" or "onTimeout" or "onError")
            {
                _edges.Add(
                    new StepEdge(
                        id, DefinitionPath.Member(path, member.Name), member.Value.GetString()!, StepEdgeKind.Onward));
            }
        }
    }

    private void CheckTogether(StepType type, JsonElement element, string path)
    {
        if (type.Has("timeout")
            && element.TryGetProperty("timeout", out _) != element.TryGetProperty("onTimeout", out _))
        {
            Add(path, element.TryGetProperty("timeout", out _)
                ? "'timeout' is given without 'onTimeout'; name the step to take when the time is over, or remove "
                    + "'timeout'."
                : "'onTimeout' is given without 'timeout'; say how long to wait, e.g. \"timeout\": \"PT30S\", or "
                    + "remove 'onTimeout'.");
        }

        if (type.Has("errorResult") && element.TryGetProperty("errorResult", out _)
            && !element.TryGetProperty("onError", out _))
        {
            Add(path, "'errorResult' is given without 'onError'; name the step to take on an error, or remove "
                + "'errorResult'.");
        }

        if (type.Has("items"))
        {
            ElementRule.CheckTogether(element, path, _errors);
        }

        if (type.Has("until") && element.TryGetProperty("duration", out _) == element.TryGetProperty("until", out _))
        {
            Add(path, element.TryGetProperty("until", out _)
                ? "'duration' and 'until' are both given; keep one."
                : "A delay needs 'duration', e.g. \"PT2S\", or 'until', e.g. \"= dueAt\".");
        }
    }

    private void Add(string path, string message) => _errors.Add(new DefinitionError(path, message));

    private DefinitionCompilation Refused()
    {
        if (_errors.Count <= DefinitionCompiler.MaxErrors)
        {
            return new DefinitionCompilation(null, _errors);
        }

        var more = _errors.Count - DefinitionCompiler.MaxErrors + 1;
        _errors.RemoveRange(DefinitionCompiler.MaxErrors - 1, more);
        Add("", $"{more} more errors are not listed; correct these first.");
        return new DefinitionCompilation(null, _errors);
    }
}
