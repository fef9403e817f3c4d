using Workflow.Engine.Calls;
using Workflow.Engine.Flush;

namespace UnitTests.Workflow.Engine;

public sealed class InstanceBodyTests
{
    private static readonly DateTimeOffset Noon = new(2026, 1, 1, 12, 0, 0, TimeSpan.Zero);
    private readonly JsonBuffer _json = new();

    [Fact]
    public void Everything_an_instance_holds_survives_its_row()
    {
        var instance = Instance();
        instance.Waits.Add(new()
        {
            Id = Guid.NewGuid(), Step = "wait", Kind = WaitKind.Signal, Scope = 2, Name = "go", Key = "k \"ü\" 漢 😀",
            Position = long.MaxValue, DueUtc = Noon.AddTicks(1),
        });
        instance.Waits.Add(new()
        {
            Id = Guid.NewGuid(),
            Step = "call",
            Kind = WaitKind.Activity,
            Scope = 0,
            Name = "work",
            Input = Value.Parse("""{ "a": [1, null, "x"] }"""),
        });
        instance.Waits
            .Add(new() { Id = Guid.NewGuid(), Step = "pause", Kind = WaitKind.Delay, Scope = 1, Position = 4 });
        instance.Waits.Add(
            new() { Id = Guid.NewGuid(), Step = "check", Kind = WaitKind.Task, Scope = 0, Name = "ann", Position = 5 });
        instance.Waits.Add(
            new() { Id = Guid.NewGuid(), Step = "sub", Kind = WaitKind.Call, Scope = 0, Name = "child", Position = 6 });
        instance.Waits.Add(new EndedWait(instance.Waits[0], Value.Parse("[1]"), error: null));
        instance.Waits.Add(new EndedWait(instance.Waits[1], Value.Null, new("it broke", "call")));
        instance.Waits.Add(Wait.Before("next", 2, caught: null, new(3, null, new("refused", "next", Code: "NO"))));
        instance.Waits.Add(
            new() { Id = Guid.NewGuid(), Step = "check", Kind = WaitKind.Signal, Scope = 3, Event = 32, Name = "stop",
                Position = 7 });
        instance.Waits.Add(new()
        {
            Id = Guid.NewGuid(), Step = "each", Kind = WaitKind.CallEach, Scope = 4, Event = Wait.Main, Name = "child",
            Input = ElementState.WithOutput(ElementState.Of(Value.Parse("[1,2]"), 2), 2, Value.Null), Position = 8,
        });
        instance.Waits.Add(new()
        {
            Id = Guid.NewGuid(), Step = "each", Kind = WaitKind.Call, Scope = 4, Event = Wait.Element, Name = "child",
            Input = Value.From(1), Position = 9,
        });
        instance.Scopes.Add(new() { Id = 2, Parent = 1, Join = "both", Remaining = 3, Arrived = 1 });
        instance.Output = Value.Parse("[true]");
        instance.Error = new InstanceError("it broke", "call", "= a", "BROKEN");
        instance.HistoryLines = 17;
        instance.Children = 3;

        var back = InstanceCodec.ToInstance(instance.ToRow(_json), instance.Definition);

        Assert.Equal(Value.From(instance.Variables), Value.From(back.Variables));
        Assert.Equal(instance.Waits, back.Waits);
        var scope = Assert.Single(back.Scopes);
        Assert.Equal((2, 1, "both", 3, 1), (scope.Id, scope.Parent, scope.Join, scope.Remaining, scope.Arrived));
        Assert.Equal(2, back.LastScope);
        Assert.Equal(instance.Output, back.Output);
        Assert.Equal(instance.Error, back.Error);
        Assert.Equal((17, instance.Revision, InstanceState.Waiting), (back.HistoryLines, back.Revision, back.State));
        Assert.Equal((instance.ParentId, 2, 3), (back.ParentId, back.Depth, back.Children));
        Assert.Equal(instance.ToRow(_json) with { History = "" }, back.ToRow(_json) with { History = "" });
    }

    [Fact]
    public void Error_that_a_way_handles_survives_its_row()
    {
        var instance = Instance();
        var call = CaughtError.Of(Wait.Before("call", 0, caught: null) with { Input = Value.From(7) });
        var caught = CaughtError.Of(
            "outer", 0,
            [Wait.Before("inner", 5, call),
                new() { Id = Guid.NewGuid(), Step = "wait", Kind = WaitKind.Signal, Scope = 5 }],
            [new() { Id = 5, Parent = 0, Join = "outer", Remaining = 2 }]);
        instance.Waits
            .Add(new() { Id = Guid.NewGuid(), Step = "tell", Kind = WaitKind.Task, Scope = 0, Caught = caught });

        var back = InstanceCodec.ToInstance(instance.ToRow(_json), instance.Definition);

        var kept = Assert.Single(back.Waits).Caught!;
        Assert.Equal(("outer", 0, "inner wait", 5),
            (kept.Step, kept.Scope, string.Join(' ', kept.Waits.Select(w => w.Step)), kept.Scopes[0].Id));
        Assert.Equal(Value.From(7), kept.Before!.Waits[0].Input);
        Assert.Equal(5, back.LastScope);
        Assert.Equal(instance.ToRow(_json) with { History = "" }, back.ToRow(_json) with { History = "" });
    }

    [Fact]
    public void Errors_within_errors_are_kept_to_a_depth_that_can_be_read()
    {
        var instance = Instance();
        var caught = Enumerable.Range(0, 1_000).Aggregate(
            (CaughtError?)null, (before, i) => CaughtError.Of(Wait.Before($"s{i}", 0, before)));
        instance.Waits.Add(Wait.Before("last", 0, caught));

        var back = InstanceCodec.ToInstance(instance.ToRow(_json), instance.Definition);

        Assert.Equal("s999", Assert.Single(back.Waits).Caught!.Step);
    }

    [Fact]
    public void Tokens_inside_a_sub_process_survive_its_row()
    {
        var instance = Instance();
        instance.State = InstanceState.Failed;
        instance.Scopes.Add(new() { Id = 4, Parent = 0, Join = "check", Remaining = 2 });
        instance.Scopes.Add(new() { Id = 6, Parent = 4, Join = "ask", Remaining = 0 });
        instance.Waits.Add(
            new() { Id = Guid.NewGuid(), Step = "check", Kind = WaitKind.Delay, Scope = 4, Event = Wait.Main,
                DueUtc = Noon });
        instance.Waits.Add(
            new() { Id = Guid.NewGuid(), Step = "check", Kind = WaitKind.Signal, Scope = 4, Event = 1, Name = "stop" });
        instance.Waits.Add(Wait.Before("bad", 4, caught: null));
        instance.Waits.Add(Wait.Before("ask", 6, caught: null) with { Event = Wait.Main });

        var row = instance.ToRow(_json);
        var back = InstanceCodec.ToInstance(row, instance.Definition);

        Assert.Equal(instance.Waits, back.Waits);
        Assert.Equal(
            [(4, 0, "check", 2), (6, 4, "ask", 0)], back.Scopes.Select(s => (s.Id, s.Parent, s.Join, s.Remaining)));
        Assert.Equal(["bad", "ask"], InstanceCodec.ToView(row).Tokens!.Select(t => t.Step));
    }

    [Fact]
    public void Rows_of_an_older_version_are_read()
    {
        var body = InstanceBody.Parse("""
            { "v": { "a": 1 }, "w": [
              { "i": "01a1fd55-bee8-7eca-a8b8-844f780c7d08", "s": "wait", "k": 0, "c": 1, "n": "go", "y": "k", "p": 5 },
              { "i": "01a1fd55-bee8-7eca-a8b8-844f780c7d09", "s": "ask", "k": 3, "c": 2, "b": 255, "n": "ann", "p": 6, "d": 638000000000000000 } ],
              "f": [ { "i": 1, "p": 0, "j": "both", "r": 2, "a": 1 }, { "i": 2, "p": 1, "j": "ask", "r": 0, "a": 0 } ], "h": 3 }
            """);

        Assert.Equal([("wait", 1, 0), ("ask", 2, 255)], body.Waits.Select(w => (w.Step, w.Scope, (int)w.Event)));
        Assert.Equal([(1, 0, "both", 2, 1), (2, 1, "ask", 0, 0)],
            body.Scopes.Select(s => (s.Id, s.Parent, s.Join, s.Remaining, s.Arrived)));
        Assert.All(body.Waits, wait => Assert.True(body.IsOfToken(wait)));
    }

    [Fact]
    public void Bare_instance_survives_its_row()
    {
        var instance = Instance();
        instance.Variables.Clear();

        var back = InstanceCodec.ToInstance(instance.ToRow(_json), instance.Definition);

        Assert.Empty(back.Variables);
        Assert.Empty(back.Waits);
        Assert.Empty(back.Scopes);
        Assert.True(back.Output.IsNull);
        Assert.Null(back.Error);
        Assert.Equal(0, back.LastScope);
    }

    /// <summary>None is accepted, but one unreadable row would keep all instances of its lane from loading.</summary>
    [Fact]
    public void Values_deeper_than_any_that_is_accepted_are_read_back()
    {
        var instance = Instance();
        instance.Variables["deep"] =
            Enumerable.Range(0, 200).Aggregate(Value.From(1), (inner, _) => Value.From([inner]));

        var back = InstanceCodec.ToInstance(instance.ToRow(_json), instance.Definition);

        Assert.Equal(instance.Variables["deep"], back.Variables["deep"]);
    }

    [Fact]
    public void History_lines_leave_with_the_row_and_are_read_back_in_words()
    {
        var instance = Instance();
        InstanceHistory.Append(instance, Noon, "started", "first \"step\"", "why\nnot 漢");
        InstanceHistory.Append(instance, Noon.AddTicks(1), "completed");

        var row = instance.ToRow(_json);

        Assert.Equal(
            [new HistoryEntry(Noon, "started", "first \"step\"", "why\nnot 漢"),
                new HistoryEntry(Noon.AddTicks(1), "completed")],
            InstanceHistory.Parse(row.History));
        Assert.Equal("", instance.ToRow(_json).History);
    }

    [Fact]
    public void History_of_an_endless_loop_stops_growing()
    {
        var instance = Instance();
        for (var i = 0; i < InstanceHistory.MaxLines + 500; i++)
        {
            InstanceHistory.Append(instance, Noon, "waiting", "again");
        }

        var lines = InstanceHistory.Parse(instance.ToRow(_json).History);

        Assert.Equal(InstanceHistory.MaxLines + 1, lines.Count);
        Assert.Equal("truncated", lines[^1].Event);
    }

    private static LiveInstance Instance() => new()
    {
        Id = Guid.NewGuid(),
        Partition = 3,
        Definition = DefinitionCompiler.Compile(
            """{ "name": "d", "version": 2, "start": "a", "steps": { "a": { "type": "end" } } }"""u8
            .ToArray(), new DefinitionRules()).Definition!,
        CorrelationKey = "order",
        ParentId = Guid.NewGuid(),
        Depth = 2,
        CreatedUtc = Noon,
        UpdatedUtc = Noon.AddSeconds(1),
        Revision = 9,
        State = InstanceState.Waiting,
        Variables = new(StringComparer.Ordinal)
        {
            ["text"] = Value.From("\0 \" ü 漢 😀"),
            ["number"] = Value.From(79228162514264337593543950335m),
            ["small"] = Value.From(0.0000000000000000000000000001m),
            ["nothing"] = Value.Null,
            ["deep"] = Value.Parse("""{ "list": [ { "a": true }, [], {} ] }"""),
        },
    };
}
