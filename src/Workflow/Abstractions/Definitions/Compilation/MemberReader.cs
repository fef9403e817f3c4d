namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>
/// Reads the members of an object by the table; what is wrong is added to the errors, and every step named to the
/// edges.
/// </summary>
internal sealed class MemberReader(
    DefinitionRules rules, ICollection<DefinitionError> errors, ICollection<StepEdge> edges)
{
    private ItemReader Items => new(this, errors);

    /// <summary>The members that could be read. With the errors unchanged, every required one is among them.</summary>
    /// <param name="owner">What it is, for messages, e.g. <c>step type 'set'</c>.</param>
    public MemberValues Read(JsonElement element, string path, string owner, IReadOnlyList<Member> members, string step)
    {
        var values = new MemberValues();
        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (var given in element.EnumerateObject())
        {
            seen.Add(given.Name);
            var memberPath = DefinitionPath.Member(path, given.Name);
            var member = members.FirstOrDefault(known => known.Name == given.Name);
            if (member is null)
            {
                Unknown(given.Name, memberPath, owner, members);
            }
            else if (member.Kind is not (MemberKind.StepType or MemberKind.Steps)
                && Value(member.Kind, given.Value, memberPath, step) is { } value)
            {
                values.Set(member.Name, value);
            }
        }

        foreach (var missing in members.Where(known => known.Required && !seen.Contains(known.Name)))
        {
            Add(DefinitionPath.Member(path, missing.Name), $"'{missing.Name}' is missing; a {owner} needs it.");
        }

        return values;
    }

    private void Unknown(string name, string path, string owner, IReadOnlyList<Member> members)
    {
        var names = members.Select(member => member.Name).ToList();
        Add(path, $"A {owner} has no member '{DefinitionPath.Shorten(name)}'.{Suggestion.For(name, names)} Its members "
            + $"are: {string.Join(", ", names)}.");
    }

    private object? Value(MemberKind kind, JsonElement element, string path, string step) => kind switch
    {
        MemberKind.Template => TemplateCompiler.Compile(element, path, errors),
        MemberKind.Cases => Items.ReadCases(element, path, step),
        MemberKind.BranchCases => Items.ReadBranchCases(element, path, step),
        MemberKind.WaitEvents => Items.ReadEvents(element, path, DefinitionMembers.WaitEvent, step),
        MemberKind.StartSignals => Items.ReadStartSignals(element, path),
        MemberKind.Boundary => Items.ReadEvents(element, path, DefinitionMembers.BoundaryEvent, step),
        MemberKind.Values => ReadValues(element, path),
        MemberKind.Branches => ReadBranches(element, path, step),
        MemberKind.Persons => ReadPersons(element, path),
        MemberKind.ListTemplate or MemberKind.CountTemplate => Elements(kind, element, path),
        MemberKind.Retry => ReadRetry(element, path, step),
        MemberKind.Count => ReadCount(element, path),
        MemberKind.Factor => ReadFactor(element, path),
        MemberKind.Flag => ReadFlag(element, path),
        MemberKind.Origin => MetadataRule.IsSource(element, path, errors)
            ? MetadataRule.Source(Read(element, path, "source", DefinitionMembers.Source, step))
            : null,
        MemberKind.Layout => LayoutReader.Read(element, path, errors),
        _ => OfText(kind, element, path, step),
    };

    private object? OfText(MemberKind kind, JsonElement element, string path, string step)
    {
        if (element.ValueKind != JsonValueKind.String)
        {
            return Refuse(path, $"Expected a text, but found {Shown(element)}.");
        }

        var text = element.GetString()!;
        return kind switch
        {
            MemberKind.Next => Edge(step, path, text, StepEdgeKind.Onward),
            MemberKind.Error => Edge(step, path, text, StepEdgeKind.Error),
            MemberKind.Inside => Edge(step, path, text, StepEdgeKind.Inside),
            MemberKind.Join => Edge(step, path, text, StepEdgeKind.Join),
            MemberKind.Name => Good(text, path, NameRule.Problem(text)),
            MemberKind.Activity => Good(text, path, NameRule.Problem(text) ?? ActivityProblem(text)),
            MemberKind.Event => Good(text, path, NameRule.Problem(text) ?? EventProblem(text)),
            MemberKind.Variable => Good(text, path, NameRule.VariableProblem(text)),
            MemberKind.Condition => Condition(text, path),
            MemberKind.Duration => Duration(text, path),
            MemberKind.Label or MemberKind.Prose => Good(text, path, MetadataRule.Problem(kind, text)),
            MemberKind.DurationTemplate =>
                Constant(element, path, value => IsoDuration.TryParse(value, out _, out var problem) ? null : problem),
            MemberKind.InstantTemplate => Constant(element, path, InstantProblem),
            MemberKind.KeyTemplate => Named(element, path, StoreLimits.MaxCorrelationKey),
            MemberKind.PersonTemplate => Named(element, path, StoreLimits.MaxAssignee),
            MemberKind.CodeTemplate => Named(element, path, StoreLimits.MaxName),
            _ => TemplateCompiler.Compile(element, path, errors),
        };
    }

    private string Edge(string step, string path, string target, StepEdgeKind kind)
    {
        edges.Add(new StepEdge(step, path, target, kind));
        return target;
    }

    private object? Good(object value, string path, string? problem) => problem is null ? value : Refuse(path, problem);

    private string? ActivityProblem(string activity)
    {
        if (rules.Activities is not { } known || known.Contains(activity))
        {
            return null;
        }

        var names = known.Count == 0 ? "none" : string.Join(", ", known.Order(StringComparer.Ordinal).Take(50));
        return $"Unknown activity '{activity}'.{Suggestion.For(activity, known)} Register it with the engine; "
            + $"registered are: {names}.";
    }

    private string? EventProblem(string type) => rules.ReservedEvents.Contains(type)
        ? $"The event type '{type}' is raised by the engine itself; choose another than "
            + $"{string.Join(", ", rules.ReservedEvents.Order(StringComparer.Ordinal))}."
        : null;

    private Expression? Condition(string text, string path)
    {
        if (ExpressionCompiler.TryCompile(text, out var expression, out var error))
        {
            return expression;
        }

        errors.Add(new DefinitionError(path, error.Message, error.Column));
        return null;
    }

    private object? Duration(string text, string path)
    {
        if (text.StartsWith('='))
        {
            return Refuse(path, "This duration is a constant, e.g. PT30S; an expression such as "
                + $"'{DefinitionPath.Shorten(text)}' is accepted only in a delay step.");
        }

        return IsoDuration.TryParse(text, out var duration, out var problem) ? duration : Refuse(path, problem!);
    }

    private static string? InstantProblem(string text)
    {
        if (!IsoInstant.TryParse(text, out var instant, out var problem))
        {
            return problem;
        }

        return StoreLimits.InstantProblem(instant) is { } range ? $"The instant {range}." : null;
    }

    // An expression without variables is as constant as a literal, and is checked like one.
    private object? Constant(JsonElement element, string path, Func<string, string?> check)
    {
        var template = TemplateCompiler.Compile(element, path, errors);
        if (template is not { Variables.Count: 0 })
        {
            return template;
        }

        var value = template.Evaluate(NoVariables.Instance);
        return Good(template, path, value.Kind == ValueKind.String
            ? check(value.AsString())
            : $"Expected a text, but the expression always gives {value}.");
    }

    /// <summary>
    /// A list of elements, or their number. What an expression without variables gives is checked here.
    /// </summary>
    private object? Elements(MemberKind kind, JsonElement element, string path)
    {
        var template = TemplateCompiler.Compile(element, path, errors);
        return template is not { Variables.Count: 0 } ? template
            : Good(template, path, ElementRule.Problem(kind, template.Evaluate(NoVariables.Instance)));
    }

    /// <summary>
    /// A key or name. What an expression without variables gives is checked here; a number is its text, null is none.
    /// </summary>
    private object? Named(JsonElement element, string path, int limit)
    {
        var template = TemplateCompiler.Compile(element, path, errors);
        var value = template is { Variables.Count: 0 } ? template.Evaluate(NoVariables.Instance) : default;
        return value.Kind == ValueKind.String && StoreLimits.TextProblem(value.AsString(), limit) is { } problem
            ? Refuse(path, $"The text {problem}.")
            : template;
    }

    private void Add(string path, string message) => errors.Add(new DefinitionError(path, message));

    private object? Refuse(string path, string message)
    {
        Add(path, message);
        return null;
    }

    private static string Shown(JsonElement element) => element.ValueKind switch
    {
        JsonValueKind.Object => "an object",
        JsonValueKind.Array => "a list",
        JsonValueKind.Null => "null (leave the member out instead)",
        JsonValueKind.String => DefinitionPath.Shorten(TemplateText.Quoted(element.GetString()!)),
        _ => DefinitionPath.Shorten(element.GetRawText()),
    };

    private const double LargestFactor = 100;

    private KeyValuePair<string, Template>[]? ReadValues(JsonElement element, string path)
    {
        if (!IsObject(element, path, "{ \"variable\": value }"))
        {
            return null;
        }

        var before = errors.Count;
        List<KeyValuePair<string, Template>> values = [];
        foreach (var member in element.EnumerateObject())
        {
            var memberPath = DefinitionPath.Member(path, member.Name);
            _ = Good(member.Name, memberPath, NameRule.VariableProblem(member.Name));
            if (TemplateCompiler.Compile(member.Value, memberPath, errors) is { } template)
            {
                values.Add(new(member.Name, template));
            }
        }

        return errors.Count == before ? [.. values] : null;
    }

    private string[]? ReadBranches(JsonElement element, string path, string step)
    {
        if (ReadTexts(element, path, 1) is not { } branches)
        {
            return null;
        }

        var seen = new HashSet<string>(StringComparer.Ordinal);
        for (var i = 0; i < branches.Length; i++)
        {
            var branchPath = DefinitionPath.Item(path, i);
            AddBranch(branches[i], branchPath, seen);
            Edge(step, branchPath, branches[i], StepEdgeKind.Onward);
        }

        return branches;
    }

    public void AddBranch(string branch, string path, HashSet<string> seen)
    {
        if (!seen.Add(branch))
        {
            Add(path,
                $"The branch '{DefinitionPath.Shorten(branch)}' is given twice; keep one, or give each branch a first "
                    + "step of its own.");
        }
    }

    /// <summary>A list of what one person is: a name, or an expression that gives one.</summary>
    private Template? ReadPersons(JsonElement element, string path)
    {
        if (!IsList(element, path, "texts", 0))
        {
            return null;
        }

        if (element.GetArrayLength() > StoreLimits.MaxGroups)
        {
            Add(path, $"The list has {element.GetArrayLength()} texts; the limit is {StoreLimits.MaxGroups}.");
            return null;
        }

        var before = errors.Count;
        var index = 0;
        foreach (var item in element.EnumerateArray())
        {
            _ = OfText(MemberKind.PersonTemplate, item, DefinitionPath.Item(path, index++), step: "");
        }

        return errors.Count == before ? TemplateCompiler.Compile(element, path, errors) : null;
    }

    private string[]? ReadTexts(JsonElement element, string path, int least)
    {
        if (!IsList(element, path, "texts", least))
        {
            return null;
        }

        var before = errors.Count;
        List<string> texts = [];
        var index = 0;
        foreach (var item in element.EnumerateArray())
        {
            var itemPath = DefinitionPath.Item(path, index++);
            var text = item.ValueKind == JsonValueKind.String ? item.GetString()! : null;
            if (text is { Length: >= 1 and <= NameRule.Longest })
            {
                texts.Add(text);
            }
            else
            {
                Add(itemPath, $"Expected a text of 1 to {NameRule.Longest} characters, but found {Shown(item)}.");
            }
        }

        return errors.Count == before ? [.. texts] : null;
    }

    private RetryPolicy? ReadRetry(JsonElement element, string path, string step)
    {
        if (!IsObject(element, path, "{ \"maxAttempts\": 5, \"initialInterval\": \"PT1S\", \"backoff\": 2 }"))
        {
            return null;
        }

        var before = errors.Count;
        var values = Read(element, path, "retry policy", DefinitionMembers.RetryPolicy, step);
        return errors.Count > before ? null : new RetryPolicy(
            values.Get<int>("maxAttempts"),
            values.GetOr("initialInterval", RetryPolicy.DefaultInitialInterval),
            values.GetOr("backoff", RetryPolicy.DefaultBackoff));
    }

    private object? ReadCount(JsonElement element, string path)
    {
        // To JSON, 1.0 is a whole number too.
        if (element.ValueKind == JsonValueKind.Number && element.GetDecimal() is >= 1 and <= int.MaxValue and var count
            && decimal.IsInteger(count))
        {
            return (int)count;
        }

        return Refuse(path, $"Expected a whole number from 1 to {int.MaxValue}, but found {Shown(element)}.");
    }

    private object? ReadFactor(JsonElement element, string path) =>
        element.ValueKind == JsonValueKind.Number && element.GetDouble() is >= 1 and <= LargestFactor and var factor
            ? factor
            : Refuse(path, $"Expected a number from 1 to {LargestFactor}, but found {Shown(element)}.");

    private object? ReadFlag(JsonElement element, string path) =>
        element.ValueKind is JsonValueKind.True or JsonValueKind.False
        ? element.GetBoolean()
        : Refuse(path, $"Expected true or false, but found {Shown(element)}.");

    public bool IsObject(JsonElement element, string path, string example)
    {
        if (element.ValueKind == JsonValueKind.Object)
        {
            return true;
        }

        Add(path, $"Expected an object such as {example}, but found {Shown(element)}.");
        return false;
    }

    public bool IsList(JsonElement element, string path, string of, int least)
    {
        if (element.ValueKind == JsonValueKind.Array && element.GetArrayLength() >= least)
        {
            return true;
        }

        var found = element.ValueKind == JsonValueKind.Array ? "an empty one" : Shown(element);
        Add(path, $"Expected a list of {of}{(least > 0 ? $" with at least {least}" : "")}, but found {found}.");
        return false;
    }
}

/// <summary>What titles, documentation and sources may be.</summary>
internal static class MetadataRule
{
    public static string? Problem(MemberKind kind, string text) =>
        StoreLimits.TextProblem(text,
            kind == MemberKind.Label ? StoreLimits.MaxTitle : StoreLimits.MaxDocumentation) is { } problem
            ? $"The text {problem}."
            : null;

    public static bool IsSource(JsonElement element, string path, ICollection<DefinitionError> errors)
    {
        if (element.ValueKind == JsonValueKind.Object && element.GetPropertyCount() > 0)
        {
            return true;
        }

        errors.Add(new DefinitionError(path, "A source is an object with at least one member of { \"document\": "
            + "\"order.bpmn\", \"element\": \"Task_1\", \"line\": 12 }; name the place, or leave it out."));
        return false;
    }

    public static SourceLocation Source(MemberValues values) =>
        new(values.Text("document"), values.Text("element"), values.Count("line"));
}
