namespace Workflow.Abstractions.Building;

/// <summary>The calls that build one definition.</summary>
internal sealed class DefinitionWriter
{
    /// <summary>Lambdas in lambdas; what would be deeper stands at the end, and is jumped to.</summary>
    private const int DeepestNesting = 4;

    /// <summary>Steps that a case may hold in its lambda, where what comes after the decision is shorter.</summary>
    private const int LargestNested = 8;

    private const int FlatSteps = 1;
    private const int FlatOptions = 4;

    private static readonly string[] Leading =
        ["start", "next", "cases", "branches", "events", "otherwise", "onTimeout", "onError", "boundary"];

    private readonly JsonElement _definition;
    private readonly Dictionary<string, JsonElement> _steps;
    private readonly StepPlacement _placement;
    private readonly Queue<string> _later = new();

    public DefinitionWriter(JsonElement definition)
    {
        _definition = definition;
        _steps = definition.GetProperty("steps").EnumerateObject()
            .ToDictionary(step => step.Name, step => step.Value, StringComparer.Ordinal);
        _placement = new StepPlacement(
            definition.GetProperty("start").GetString()!,
            _steps.ToDictionary(
                step => step.Key, step => (IReadOnlyList<string>)[.. Targets(step.Value)], StringComparer.Ordinal),
            _steps.Where(step => step.Value.TryGetProperty("join", out _))
                .ToDictionary(
                    step => step.Value.GetProperty("join").GetString()!, step => step.Key, StringComparer.Ordinal));
    }

    public IEnumerable<Code> Calls()
    {
        var definition = new MemberTaker("The definition", _definition, "name", "version", "start", "steps");
        List<Code> calls =
        [
            .. Metadata(definition), .. StartSignals(definition),
            new CodeCall(".Steps", [new CodeLambda("flow", Flow(), FlatSteps)]), new CodeCall(".Build", []),
        ];
        definition.RequireNothingLeft();
        return calls;
    }

    private List<Code> Flow()
    {
        List<Code> calls = [];
        Sequence(calls, _definition.GetProperty("start").GetString()!, null, 0);
        while (_later.TryDequeue(out var id))
        {
            Sequence(calls, id, null, 0);
        }

        return calls;
    }

    private static IEnumerable<string> Targets(JsonElement step) => Leading
        .Where(name => step.TryGetProperty(name, out _))
        .SelectMany(name => Items(step.GetProperty(name)))
        .Select(value => (value.ValueKind == JsonValueKind.Object ? value.GetProperty("next") : value).GetString()!);

    private static IEnumerable<JsonElement> Items(JsonElement value) =>
        value.ValueKind == JsonValueKind.Array ? value.EnumerateArray() : [value];

    /// <summary>A step, and all that stands at its ways and after it.</summary>
    /// <param name="follow">
    /// The step that is written next after all this, so that open ends lead there; null for none.
    /// </param>
    private void Sequence(List<Code> calls, string first, string? follow, int depth)
    {
        var left = new Stack<(string Id, string? Follow)>([(first, follow)]);
        while (left.TryPop(out var step))
        {
            var rest = _placement.RestOf(step.Id).ToList();
            if (MainWay(step.Id, rest, step.Follow) is { } main)
            {
                _placement.SetApart(main);
                rest.Insert(0, main);
            }

            for (var i = rest.Count - 1; i >= 0; i--)
            {
                left.Push((rest[i], i + 1 < rest.Count ? rest[i + 1] : step.Follow));
            }

            var after = rest.Count > 0 ? rest[0] : step.Follow;
            var next = Step(calls, step.Id, after, depth);
            if (next is null || next == after)
            {
                continue;
            }

            if (_placement.IsInline(step.Id, next))
            {
                left.Push((next, after));
            }
            else
            {
                calls.Add(new CodeCall(".GoTo", [new CodeString(next)]));
            }
        }
    }

    /// <summary>
    /// The way of a choice that is written after it, instead of in a lambda: where its ways do not meet, or are long.
    /// </summary>
    private string? MainWay(string id, List<string> rest, string? follow)
    {
        var step = _steps[id];
        if (step.GetProperty("type").GetString() is not ("decide" or "waitFirst"))
        {
            return null;
        }

        var ways = Targets(step).Where(way => way != follow && _placement.IsInline(id, way)).ToList();
        if (ways.Count == 0)
        {
            return null;
        }

        var longest = Enumerable.Reverse(ways).MaxBy(way => _placement.SizeOf(way))!;
        var others = rest.Select(other => _placement.SizeOf(other)).DefaultIfEmpty().Max();
        return (rest.Count == 0 && follow is null) || _placement.SizeOf(longest) > Math.Max(LargestNested, others)
            ? longest
            : null;
    }

    /// <summary>Adds the calls of one step.</summary>
    /// <param name="after">Where its open ends lead, unless it leads on itself.</param>
    /// <returns>The step that it leads on to; null where it only has ways, or ends.</returns>
    private string? Step(List<Code> calls, string id, string? after, int depth)
    {
        var step = new MemberTaker($"Step '{id}'", _steps[id], "type");
        var next = step.Text("next");
        var ways = new WayWriter(this, id, next ?? after, depth);
        var type = _steps[id].GetProperty("type").GetString()!;
        calls.Add(new CodeCall($".{MethodOf(type, _steps[id])}", [new CodeString(id), .. Arguments(type, step, ways)]));
        calls.AddRange(Metadata(step));
        step.RequireNothingLeft();
        return next;
    }

    private static string MethodOf(string type, JsonElement step) =>
        step.TryGetProperty("until", out _) ? "DelayUntil" : $"{char.ToUpperInvariant(type[0])}{type[1..]}";

    private static IEnumerable<Code> Arguments(string type, MemberTaker step, WayWriter ways) => type switch
    {
        "set" => Code.Members(step.Required("values")),
        "decide" => [new CodeLambda("cases", [.. Cases(step, ways)], FlatOptions)],
        "fork" => [new CodeLambda("branches", [.. Branches(step, ways)], FlatOptions)],
        "inclusive" => [new CodeLambda("cases", [.. BranchCases(step, ways)], FlatOptions)],
        "waitFirst" => [new CodeLambda("events", [.. Events(step.Required("events"), ways)], FlatOptions)],
        "waitSignal" => [step.String("signal"), .. Options(
            step.Calls("Correlation", "correlation"), Timeout(step, ways), Boundary(step, ways),
            step.Calls("Result", "result"))],
        "delay" => [step.Find("until") is { } until ? Code.Of(until) : step.String("duration")],
        "task" => Options(
            step.Calls("Assignee", "assignee"), Groups(step), Timeout(step, ways), Boundary(step, ways),
            step.Calls("Result", "result")),
        "invoke" => [step.String("activity"), .. Options(
            Input(step), Retry(step), OnError(step, ways), Timeout(step, ways), Boundary(step, ways),
            step.Calls("Result", "result"))],
        "call" => [step.String("definition"), .. Options(
            step.Calls("Version", "version"), Input(step), OnError(step, ways), Timeout(step, ways),
            Boundary(step, ways),
            step.Calls("Result", "result"))],
        "callEach" => [step.String("definition"), .. Options(
            step.Calls("Version", "version"), Elements(step), Input(step),
            step.Calls("MaxConcurrency", "maxConcurrency"),
            step.Calls("CompletionCondition", "completionCondition"), OnError(step, ways), Timeout(step, ways),
            Boundary(step, ways),
            step.Calls("Result", "result"))],
        "subProcess" => [ways.Inside(step.Required("start")), .. Options(
            OnError(step, ways), Timeout(step, ways), Boundary(step, ways))],
        "raise" => [step.String("event"), .. Payload(step)],
        "end" => End(step),
        "fail" => [step.String("error"), .. step.Arguments("code")],
        _ => [],
    };

    private static IEnumerable<Code> Cases(MemberTaker step, WayWriter ways)
    {
        foreach (var one in step.Required("cases").EnumerateArray())
        {
            var given = new MemberTaker("A case", one);
            yield return new CodeCall(".When", [given.String("when"), ways.To(given.Required("next"), "then")]);
            given.RequireNothingLeft();
        }

        var otherwise = step.Required("otherwise");
        if (!ways.GoesOn(otherwise))
        {
            yield return new CodeCall(".Otherwise", [ways.To(otherwise, "otherwise")]);
        }
    }

    private static IEnumerable<Code> BranchCases(MemberTaker step, WayWriter ways)
    {
        _ = step.Required("join");
        return Cases(step, ways);
    }

    private static IEnumerable<Code> Events(JsonElement events, WayWriter ways)
    {
        foreach (var one in events.EnumerateArray())
        {
            var given = new MemberTaker("An event", one);
            yield return EventCall(given).With([
                ways.To(given.Required("next"), "then"),
                .. given.Arguments("correlation"), .. given.Arguments("result"), .. given.Arguments("interrupting"),
            ]);
            given.RequireNothingLeft();
        }
    }

    private static CodeCall EventCall(MemberTaker given)
    {
        if (given.Find("signal") is { } signal)
        {
            return new CodeCall(".Signal", [Code.Of(signal)]);
        }

        return given.Find("duration") is { } duration
            ? new CodeCall(".After", [Code.Of(duration)])
            : new CodeCall(".At", [given.String("until")]);
    }

    private static IEnumerable<Code> Boundary(MemberTaker step, WayWriter ways) => step.Find("boundary") is { } events
        ? [new CodeCall(".Boundary", [new CodeLambda("events", [.. Events(events, ways)], FlatOptions)])]
        : [];

    private static IEnumerable<Code> StartSignals(MemberTaker definition)
    {
        if (definition.Find("startOn") is not { } signals)
        {
            yield break;
        }

        foreach (var one in signals.EnumerateArray())
        {
            var given = new MemberTaker("A start signal", one);
            yield return new CodeCall(".StartOn", [given.String("signal"), .. given.Arguments("result")]);
            given.RequireNothingLeft();
        }
    }

    private static IEnumerable<Code> Branches(MemberTaker step, WayWriter ways)
    {
        // Open ends lead to the join, which is the step written next.
        _ = step.Required("join");
        return step.Required("branches").EnumerateArray()
            .Select(branch => new CodeCall(".Branch", [ways.To(branch, "branch")]));
    }

    private static IEnumerable<Code> Timeout(MemberTaker step, WayWriter ways) => step.Find("timeout") is { } timeout
        ? [new CodeCall(".Timeout", [Code.Of(timeout), ways.To(step.Required("onTimeout"), "onTimeout")])]
        : [];

    private static IEnumerable<Code> OnError(MemberTaker step, WayWriter ways) => step.Find("onError") is { } handler
        ? [new CodeCall(".OnError", [ways.To(handler, "onError")]), .. step.Calls("ErrorResult", "errorResult")]
        : [];

    private static IEnumerable<Code> Elements(MemberTaker step)
    {
        var elements = step.Find("items") is { } items
            ? new CodeCall(".Items", [Code.Of(items), .. step.Arguments("item")])
            : new CodeCall(".Count", [Code.Of(step.Required("count"))]);
        return [elements, .. step.Calls("Index", "index")];
    }

    private static IEnumerable<Code> Groups(MemberTaker step) => step.Find("groups") is { } groups
        ? [new CodeCall(".Groups", groups.EnumerateArray().Select(Code.Of))]
        : [];

    private static IEnumerable<Code> Payload(MemberTaker step) =>
        step.Find("payload") is { } payload ? Value(payload) : [];

    private static IEnumerable<Code> Input(MemberTaker step) => step.Find("input") is { } input
        ? [new CodeCall(".Input", IsEmpty(input) ? [] : Value(input))]
        : [];

    private static IEnumerable<Code> Retry(MemberTaker step)
    {
        if (step.Find("retry") is not { } given)
        {
            return [];
        }

        var retry = new MemberTaker("The retry policy", given);
        Code[] arguments = [Code.Of(retry.Required("maxAttempts")), .. retry.Arguments("initialInterval"),
            .. retry.Arguments("backoff")];
        retry.RequireNothingLeft();
        return [new CodeCall(".Retry", arguments)];
    }

    private static IEnumerable<Code> End(MemberTaker step)
    {
        var output = step.Find("output");
        if (step.Find("terminate") is not { } terminate)
        {
            return output is { } value ? Value(value) : [];
        }

        return Options(
            output is { } given ? [new CodeCall(".Output", IsEmpty(given) ? [] : Value(given))] : [],
            [new CodeCall(".Terminate", terminate.GetBoolean() ? [] : [Code.Of(terminate)])]);
    }

    /// <summary>The members of a context, or one value of any other kind.</summary>
    private static IEnumerable<Code> Value(JsonElement value) =>
        value.ValueKind == JsonValueKind.Object && !IsEmpty(value) ? Code.Members(value) : [Code.Of(value)];

    private static bool IsEmpty(JsonElement value) =>
        value.ValueKind == JsonValueKind.Object && value.GetPropertyCount() == 0;

    private static IEnumerable<Code> Options(params IEnumerable<Code>[] calls)
    {
        Code[] given = [.. calls.SelectMany(call => call)];
        return given.Length == 0 ? [] : [new CodeLambda("step", given, FlatOptions)];
    }

    private static IEnumerable<Code> Metadata(MemberTaker owner)
    {
        List<Code> calls = [.. owner.Calls("Title", "title"), .. owner.Calls("Documentation", "documentation")];
        if (owner.Find("source") is { } given)
        {
            var source = new MemberTaker("The source", given);
            Code[] arguments =
                [.. source.Arguments("element", true), .. source.Arguments("line"), .. source.Arguments("document")];
            calls.Add(new CodeCall(".Source", arguments));
            source.RequireNothingLeft();
        }

        return calls;
    }

    /// <summary>Writes where one step leads, other than on to the next.</summary>
    /// <param name="follow">Where open ends lead.</param>
    private sealed class WayWriter(DefinitionWriter writer, string step, string? follow, int depth)
    {
        /// <summary>Whether an open end leads there.</summary>
        public bool GoesOn(JsonElement target) => target.GetString() == follow;

        /// <summary>As <see cref="To"/>, of the steps inside of a sub-process: they lead nowhere outside.</summary>
        public Code Inside(JsonElement start) => new WayWriter(writer, step, null, depth).To(start, "inside");

        /// <summary>A lambda with the steps that begin there, or the id of the step.</summary>
        public Code To(JsonElement target, string parameter)
        {
            var id = target.GetString()!;
            if (id == follow || !writer._placement.IsInline(step, id))
            {
                return new CodeString(id);
            }

            if (depth == DeepestNesting)
            {
                writer._later.Enqueue(id);
                return new CodeString(id);
            }

            List<Code> calls = [];
            writer.Sequence(calls, id, follow, depth + 1);
            return new CodeLambda(parameter, calls, FlatSteps);
        }
    }
}
