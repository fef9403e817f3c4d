using UnitTests.Workflow.Diagrams;

namespace UnitTests.Workflow.Building;

/// <summary>
/// Definitions of every step type with every member, or without, and with texts that break whoever quotes them
/// carelessly. Two of three have the structure of <see cref="GeneratedDefinitions"/>; the steps of the others lead
/// anywhere. The same seed, the same definition.
/// </summary>
internal sealed class ArbitraryDefinitions
{
    private static readonly string[] Texts =
    [
        "plain", "it's", "\"quoted\"", "say \"a\" and b", "back\\slash", "\\", "\"", "\"\"\"", "a \"\"\" b", "a\\\"b",
        "line\nbreak",
        "carriage\r\nreturn", "\n", "tab\tand\u0007bell", "delete\u007f\u0085\u2028\u2029",
        "\u200bzero\u202ebidi\ufeff",
        "e\u0301 \u00a0",
        "é 漢字 😀 \U000e0041\U0010ffff", "{braces} {{0}} $\"{x}\" @\"", "// no comment /* */ #if", "%s \\u0041 \\x",
        " blanks around ",
        string.Join(' ', Enumerable.Repeat("a text that is too long for one line", 20)),
        string.Concat(Enumerable.Repeat("😀", 150)),
        "first line\nsecond line, which is long enough to be broken where it stands and then "
            + "some more of it\n\n\tfourth\n",
    ];

    private static readonly string[] Titles = [.. Texts.Where(text => text.Length <= 256)];

    private static readonly string[] Expressions =
    [
        "= price * quantity", "=upper(name)", "= kind = \"quote\"", "= \"a\" + name + \"b\"",
        "= \"tab\\t, quote \\\" and \\u00e9\"",
        "= if total > 100 then \"large\" else null", "= `order-id`", "= [1, 2.5, {a: \"b\"}][1]", "= 1 +\n  2",
        "=\"=literal\"",
    ];

    private static readonly string[] Numbers =
    [
        "0", "-0", "-1", "100", "1.50", "1e3", "-0.5", "2147483647", "2147483648", "-2147483649",
        "18446744073709551616",
        "79228162514264337593543950335", "0.0000000000000000000000000001",
    ];

    private static readonly string[] Durations = ["PT30S", "PT60S", "PT0.1S", "P1DT12H", "P2W", "PT0S"];
    private static readonly string[] Variables = ["total", "größe", "_x1", "x"];
    private static readonly string[] Types = ["set", "decide", "waitSignal", "waitFirst", "delay", "task", "invoke",
        "call", "callEach", "raise", "end", "fail"];

    private readonly Random _random;

    private ArbitraryDefinitions(int seed) => _random = new Random(seed);

    /// <param name="nests">Whether it may have sub-processes.</param>
    public static WorkflowDefinition Make(int seed, bool nests = true)
    {
        var made = new ArbitraryDefinitions(seed);
        var size = made._random.Next(1, seed % 10 == 0 ? 40 : 10);
        var json = seed % 3 == 0 ? made.Anywhere(size) : GeneratedDefinitions.MakeJson(seed, size, nests);
        json["version"] = made._random.Next(1, 5);
        foreach (var (id, step) in json["steps"]!.AsObject().Select(step => (step.Key, step.Value!.AsObject())))
        {
            made.Fill(id, step);
            made.Describe(step);
        }

        made.Describe(json);
        return Compile.Good(Compile.Json(json.ToJsonString()));
    }

    /// <summary>A way through all steps, and from each of them ways to any other.</summary>
    private JsonObject Anywhere(int size)
    {
        string Id(int i) => string.Create(CultureInfo.InvariantCulture, $"s{i}.{Types[i % 3]}");
        var steps = new JsonObject();
        for (var i = 0; i < size; i++)
        {
            var next = i + 1 < size ? Id(i + 1) : Id(_random.Next(size));
            var step = new JsonObject { ["type"] = i + 1 < size ? Types[_random.Next(Types.Length - 2)] : Pick(Types) };
            var type = step["type"]!.GetValue<string>();
            if (type is "decide" or "waitFirst")
            {
                var ways =
                    Enumerable.Range(0, _random.Next(1, 4)).Select(_ => Id(_random.Next(size))).Append(next).ToArray();
                _random.Shuffle(ways);
                if (type == "decide")
                {
                    step["cases"] = new JsonArray(
                        [.. ways.SkipLast(1)
                            .Select(way => new JsonObject { ["when"] = Pick(Expressions), ["next"] = way })]);
                    step["otherwise"] = ways[^1];
                }
                else
                {
                    step["events"] = new JsonArray([.. ways.Select(Event)]);
                }
            }
            else if (type is not ("end" or "fail"))
            {
                step["next"] = next;
            }

            if (type is "waitSignal" or "task" or "invoke" or "call" or "callEach" && Maybe())
            {
                (step["timeout"], step["onTimeout"]) = (Pick(Durations), Id(_random.Next(size)));
            }

            if (type is "invoke" or "call" or "callEach" && Maybe())
            {
                step["onError"] = Id(_random.Next(size));
            }

            if (type is "waitSignal" or "task" or "invoke" or "call" or "callEach" && Maybe())
            {
                step["boundary"] = new JsonArray(
                    [.. Enumerable.Range(0, _random.Next(1, 4)).Select(_ => Boundary(Id(_random.Next(size))))]);
            }

            steps[Id(i)] = step;
        }

        var signals = Some(["order", "order-2"]).Select(name => new JsonObject { ["signal"] = name }).ToList();
        signals.ForEach(signal => Optional(signal, "result", () => Pick(Variables)));
        var definition =
            new JsonObject { ["name"] = "1st.arbitrary_one", ["version"] = 1, ["start"] = Id(0), ["steps"] = steps };
        if (signals.Count > 0)
        {
            definition["startOn"] = new JsonArray([.. signals]);
        }

        return definition;
    }

    private JsonObject Event(string next)
    {
        var made = new JsonObject { ["next"] = next };
        switch (_random.Next(3))
        {
            case 0:
                made["signal"] = "resume";
                Optional(made, "correlation", () => Name());
                Optional(made, "result", () => Pick(Variables));
                break;
            case 1:
                made["duration"] = Maybe() ? Pick(Durations) : "= pause";
                break;
            default:
                made["until"] = "= dueAt";
                break;
        }

        return made;
    }

    private JsonObject Boundary(string next)
    {
        var made = Event(next);
        Optional(made, "interrupting", () => Maybe());
        return made;
    }

    private void Fill(string id, JsonObject step)
    {
        switch (step["type"]!.GetValue<string>())
        {
            case "set":
                step["values"] = new JsonObject(Some(Variables).Select(name => KeyValuePair.Create(name, Template(3))));
                break;
            case "fork" when step["branches"]!.AsArray().Count > 1 && Maybe():
                var branches = step["branches"]!.AsArray().Select(branch => branch!.GetValue<string>()).ToArray();
                step.Remove("branches");
                step["type"] = "inclusive";
                step["cases"] = new JsonArray(
                    [.. branches.Skip(1)
                        .Select(branch => new JsonObject { ["when"] = Pick(Expressions), ["next"] = branch })]);
                step["otherwise"] = branches[0];
                break;
            case "waitSignal":
                step["signal"] = Pick(["resume", "a.b-c_1"]);
                Optional(step, "correlation", () => Name());
                break;
            case "delay":
                step.Remove("duration");
                (string member, string value) = _random.Next(4) switch
                {
                    0 => ("duration", Pick(Durations)), 1 => ("duration", "= pause"),
                    2 => ("until", "2026-03-17T08:00:00+01:00"), _ => ("until", "= dueAt"),
                };
                step[member] = value;
                break;
            case "task":
                step.Remove("assignee");
                Optional(step, "assignee", () => Name());
                Optional(
                    step, "groups",
                    () => new JsonArray(
                        [.. Some(["underwriters", "back \"office\"", "= group"]).Select(one => (JsonNode?)one)]));
                break;
            case "invoke":
                step["activity"] ??= "http";
                Optional(step, "input", () => Template(3));
                Optional(step, "retry", Retry);
                break;
            case "call":
                step["definition"] ??= "policy";
                Optional(step, "version", () => _random.Next(1, 100));
                Optional(step, "input", () => Template(3));
                break;
            case "callEach":
                step["definition"] ??= "policy";
                Optional(step, "version", () => _random.Next(1, 100));
                Elements(step);
                Optional(step, "input", () => Template(3));
                Optional(step, "maxConcurrency", () => _random.Next(1, 10));
                Optional(step, "completionCondition", () => Pick(Expressions));
                break;
            case "raise":
                step["event"] ??= "OrderConfirmed";
                Optional(step, "payload", () => Template(3));
                break;
            case "subProcess" when step.ContainsKey("boundary"):
                step["boundary"] = new JsonArray(
                    [.. step["boundary"]!.AsArray().Select(one => Boundary(one!["next"]!.GetValue<string>()))]);
                break;
            case "end":
                if (!id.EndsWith(".end", StringComparison.Ordinal))
                {
                    Optional(step, "output", () => Template(3)); // None inside a sub-process.
                }

                Optional(step, "terminate", () => Maybe());
                break;
            case "fail":
                step["error"] = Maybe() ? Pick(Expressions) : Pick(Texts);
                Optional(step, "code", () => Name());
                break;
        }

        if (step["type"]!.GetValue<string>() is "waitSignal" or "task" or "invoke" or "call" or "callEach")
        {
            Optional(step, "result", () => Pick(Variables));
        }

        if (step.ContainsKey("onError"))
        {
            Optional(step, "errorResult", () => Pick(Variables));
        }
    }

    private void Elements(JsonObject step)
    {
        if (Maybe())
        {
            step["items"] = Maybe() ? "= total.lines" : new JsonArray(Template(2), Template(2));
            Optional(step, "item", () => Pick(Variables));
        }
        else
        {
            step["count"] = Maybe() ? "= total" : _random.Next(0, 1001);
        }

        Optional(step, "index", () => "number");
    }

    private void Describe(JsonObject owner)
    {
        Optional(owner, "title", () => Pick(Titles));
        Optional(owner, "documentation", () => Pick(Texts));
        if (Maybe())
        {
            var source = new JsonObject { ["line"] = _random.Next(1, 100_000) };
            Optional(source, "element", () => "Activity_\"0\"");
            Optional(source, "document", () => "models\\order.bpmn");
            owner["source"] = source;
        }
    }

    private JsonObject Retry()
    {
        var retry = new JsonObject { ["maxAttempts"] = _random.Next(1, 10) };
        Optional(retry, "initialInterval", () => Pick(Durations));
        Optional(retry, "backoff", () => JsonNode.Parse(Pick(["1", "1.5", "2.0"]))!);
        return retry;
    }

    private JsonNode? Template(int depth) => _random.Next(depth > 0 ? 8 : 6) switch
    {
        0 => null,
        1 => Maybe(),
        2 => JsonNode.Parse(Pick(Numbers)),
        3 => Pick(Expressions),
        4 => "\0" + Pick(Texts),
        5 => Pick(Texts),
        6 => new JsonArray([.. Enumerable.Range(0, _random.Next(4)).Select(_ => Template(depth - 1))]),
        _ => new JsonObject(
            Some(["a", "", "b c", "\"quoted\"", "= no expression", "class"])
                .Select(name => KeyValuePair.Create(name, Template(depth - 1)))),
    };

    private string Name() => Maybe() ? "= requestId" : "key \"1\" 😀";
    private bool Maybe() => _random.Next(2) == 0;
    private string Pick(string[] all) => all[_random.Next(all.Length)];
    private IEnumerable<string> Some(string[] all) => all.Where(_ => _random.Next(3) == 0).ToList();

    private void Optional(JsonObject owner, string name, Func<JsonNode?> value)
    {
        if (Maybe())
        {
            owner[name] = value();
        }
    }
}
