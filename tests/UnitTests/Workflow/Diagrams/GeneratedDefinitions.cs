using Workflow.Diagrams.Graphs;

namespace UnitTests.Workflow.Diagrams;

/// <summary>
/// Definitions of sequences, choices, loops, nested forks, timeouts and errors, and where it is wanted of nested
/// sub-processes, made from the end to the start: the same seed and size, the same definition. Every one of them
/// compiles.
/// </summary>
internal sealed class GeneratedDefinitions
{
    private static readonly string[] Verbs =
        ["check", "price", "notify", "book", "confirm", "reserve", "sendPolicy", "underwrite-the-quotation"];
    private readonly Random _random;
    private readonly JsonObject _steps = [];
    private readonly bool _nests;
    private int _left;
    private int _count;
    private string _scope = "";

    private GeneratedDefinitions(int seed, int size, bool nests) =>
        (_random, _left, _nests) = (new Random(seed), size, nests);

    public static WorkflowDefinition Make(int seed, int size, bool nests = false) =>
        Compile.Good(Compile.Json(MakeJson(seed, size, nests).ToJsonString()));

    public static DiagramGraph Graph(int seed, int size, bool nests = false) =>
        GraphBuilder.Build(Make(seed, size, nests));

    /// <param name="size">About how many steps it has.</param>
    /// <param name="nests">Whether it has sub-processes.</param>
    public static JsonObject MakeJson(int seed, int size, bool nests = false)
    {
        var made = new GeneratedDefinitions(seed, size, nests);
        made._steps["done"] = new JsonObject { ["type"] = "end" };
        var start = made.Block("done", 0);
        while (made._left > 0)
        {
            start = made.Sequence(start, 0);
        }

        return new JsonObject
            { ["name"] = $"generated-{seed}", ["version"] = 1, ["start"] = start, ["steps"] = made._steps };
    }

    private string Block(string next, int depth)
    {
        var kind = depth > 4 ? 0 : _random.Next(_nests ? 14 : 10);
        return kind switch
        {
            > 9 => SubProcess(next, depth),
            < 4 => Sequence(next, depth),
            < 7 => Choice(next, depth),
            < 8 => Loop(next, depth),
            _ => Fork(next, depth),
        };
    }

    private string Sequence(string next, int depth)
    {
        for (var i = _random.Next(1, 4); i > 0 && _left > 0; i--)
        {
            next = _random.Next(5) == 0 ? Block(next, depth + 1) : Plain(next);
        }

        return next;
    }

    private string Plain(string next)
    {
        var step = new JsonObject { ["next"] = next };
        switch (_random.Next(7))
        {
            case 0:
                step["type"] = "set";
                step["values"] = new JsonObject { ["total"] = "= price * quantity" };
                break;
            case 1:
                (step["type"], step["signal"]) = ("waitSignal", "resume");
                break;
            case 2:
                (step["type"], step["duration"]) = ("delay", "PT2S");
                break;
            case 3:
                (step["type"], step["assignee"]) = ("task", "= agent");
                break;
            case 4:
                (step["type"], step["activity"]) = ("invoke", "echo");
                break;
            case 5:
                (step["type"], step["definition"]) = ("call", "policy");
                break;
            default:
                (step["type"], step["event"]) = ("raise", "OrderConfirmed");
                break;
        }

        var type = step["type"]!.GetValue<string>();
        if (type is "waitSignal" or "task" or "invoke" or "call" && _random.Next(3) == 0)
        {
            (step["timeout"], step["onTimeout"]) = ("PT30S", Failure());
        }

        if (type is "invoke" or "call" && _random.Next(3) == 0)
        {
            step["onError"] = _random.Next(3) == 0 ? next : Failure();
        }

        return Add(step);
    }

    private string Choice(string next, int depth)
    {
        var cases = new JsonArray();
        for (var i = _random.Next(1, 4); i > 0; i--)
        {
            cases.Add(new JsonObject { ["when"] = $"= total > {_random.Next(1000)}", ["next"] = Way(next, depth) });
        }

        return Add(
            new JsonObject { ["type"] = "decide", ["cases"] = cases,
                ["otherwise"] = _random.Next(3) == 0 ? next : Sequence(next, depth + 1) });
    }

    private string Way(string next, int depth) => _random.Next(4) switch
    {
        0 => next,
        1 when _random.Next(3) == 0 => Failure(),
        _ => Sequence(next, depth + 1),
    };

    // The way back goes to a step that is made before its body.
    private string Loop(string next, int depth)
    {
        var head = NewId();
        var test = Add(new JsonObject
        {
            ["type"] = "decide", ["cases"] = new JsonArray(new JsonObject { ["when"] = "= again", ["next"] = head }),
            ["otherwise"] = next,
        });
        _steps[head] = new JsonObject
        {
            ["type"] = "set", ["values"] = new JsonObject { ["round"] = "= round + 1" },
            ["next"] = Sequence(test, depth + 1),
        };
        return _random.Next(3) == 0
            ? Add(new JsonObject { ["type"] = "invoke", ["activity"] = "echo", ["next"] = head, ["onError"] = head })
            : head;
    }

    private string Fork(string next, int depth)
    {
        var join = Add(new JsonObject { ["type"] = "join", ["next"] = next });
        var branches = new JsonArray();
        for (var i = _random.Next(2, 5); i > 0; i--)
        {
            branches.Add(Sequence(Plain(join), depth + 1));
        }

        return Add(new JsonObject { ["type"] = "fork", ["branches"] = branches, ["join"] = join });
    }

    // Its own end and its own failures: nothing inside leads outside.
    private string SubProcess(string next, int depth)
    {
        var id = NewId();
        var around = _scope;
        _scope = $"{id}.";
        _steps[$"{id}.end"] = new JsonObject { ["type"] = "end" };
        _left--;
        var step = new JsonObject
            { ["type"] = "subProcess", ["start"] = Sequence(Plain($"{id}.end"), depth + 1), ["next"] = next };
        _scope = around;
        if (_random.Next(3) == 0)
        {
            (step["timeout"], step["onTimeout"]) = ("PT30S", Failure());
        }

        if (_random.Next(2) == 0)
        {
            step["onError"] = _random.Next(4) switch { 0 => id, 1 => next, _ => Failure() };
        }

        if (_random.Next(2) == 0)
        {
            step["boundary"] = new JsonArray(
                new JsonObject { ["signal"] = "cancelled", ["next"] = Failure() },
                new JsonObject
                    { ["duration"] = "PT1H", ["next"] = Sequence(next, depth + 1), ["interrupting"] = false });
        }

        _steps[id] = step;
        return id;
    }

    private string Failure()
    {
        var id = string.Create(CultureInfo.InvariantCulture, $"{_scope}failed{_random.Next(2)}");
        _steps.TryAdd(id, new JsonObject { ["type"] = "fail", ["error"] = "too late" });
        return id;
    }

    private string Add(JsonObject step)
    {
        var id = NewId();
        _steps[id] = step;
        return id;
    }

    private string NewId()
    {
        _left--;
        return string.Create(CultureInfo.InvariantCulture, $"{Verbs[_random.Next(Verbs.Length)]}{_count++}");
    }
}
