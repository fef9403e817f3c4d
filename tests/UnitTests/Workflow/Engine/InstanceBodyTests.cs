using Workflow.Abstractions;
using Workflow.Abstractions.Definitions.Compilation;
using Workflow.Contracts.Instances;
using Workflow.Engine.Execution;
using Workflow.Engine.Instances;

namespace UnitTests.Workflow.Engine;

public sealed class InstanceBodyTests
{
    private static readonly DateTimeOffset Noon = new(2026, 1, 1, 12, 0, 0, TimeSpan.Zero);
    private readonly InstanceCodec _codec = new();

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
        instance.Waits.Add(new() { Id = Guid.NewGuid(), Step = "pause", Kind = WaitKind.Delay, Scope = 1, Position = 4 });
        instance.Waits.Add(new() { Id = Guid.NewGuid(), Step = "check", Kind = WaitKind.Task, Scope = 0, Name = "ann", Position = 5 });
        instance.Waits.Add(new() { Id = Guid.NewGuid(), Step = "sub", Kind = WaitKind.Call, Scope = 0, Name = "child", Position = 6 });
        instance.Waits.Add(new EndedWait(instance.Waits[0], Value.Parse("[1]"), error: null));
        instance.Waits.Add(new EndedWait(instance.Waits[1], Value.Null, new("it broke", "call")));
        instance.Waits.Add(Wait.Before("next", 2, new(3, null)));
        instance.Waits.Add(new() { Id = Guid.NewGuid(), Step = "check", Kind = WaitKind.Signal, Scope = 3, Event = 32, Name = "stop", Position = 7 });
        instance.Waits.Add(new()
        {
            Id = Guid.NewGuid(), Step = "each", Kind = WaitKind.CallEach, Scope = 4, Event = Wait.Main, Name = "child",
            Input = ElementState.WithOutput(ElementState.Of(Value.Parse("[1,2]"), 2), 2, Value.Null), Position = 8,
        });
        instance.Waits.Add(new()
        {
            Id = Guid.NewGuid(), Step = "each", Kind = WaitKind.Call, Scope = 4, Event = Wait.Element, Name = "child", Input = Value.From(1), Position = 9,
        });
        instance.Scopes.Add(new() { Id = 2, Parent = 1, Join = "both", Remaining = 3, Arrived = 1 });
        instance.Output = Value.Parse("[true]");
        instance.Error = new InstanceError("it broke", "call", "= a", "BROKEN");
        instance.HistoryLines = 17;
        instance.Children = 3;

        var back = InstanceCodec.ToInstance(_codec.ToRow(instance), instance.Definition);

        Assert.Equal(Value.From(instance.Variables), Value.From(back.Variables));
        Assert.Equal(instance.Waits, back.Waits);
        var scope = Assert.Single(back.Scopes);
        Assert.Equal((2, 1, "both", 3, 1), (scope.Id, scope.Parent, scope.Join, scope.Remaining, scope.Arrived));
        Assert.Equal(2, back.LastScope);
        Assert.Equal(instance.Output, back.Output);
        Assert.Equal(instance.Error, back.Error);
        Assert.Equal((17, instance.Revision, InstanceState.Waiting), (back.HistoryLines, back.Revision, back.State));
        Assert.Equal((instance.ParentId, 2, 3), (back.ParentId, back.Depth, back.Children));
        Assert.Equal(_codec.ToRow(instance) with { History = "" }, _codec.ToRow(back) with { History = "" });
    }

    [Fact]
    public void Bare_instance_survives_its_row()
    {
        var instance = Instance();
        instance.Variables.Clear();

        var back = InstanceCodec.ToInstance(_codec.ToRow(instance), instance.Definition);

        Assert.Empty(back.Variables);
        Assert.Empty(back.Waits);
        Assert.Empty(back.Scopes);
        Assert.True(back.Output.IsNull);
        Assert.Null(back.Error);
        Assert.Equal(0, back.LastScope);
    }

    [Fact]
    public void History_lines_leave_with_the_row_and_are_read_back_in_words()
    {
        var instance = Instance();
        InstanceHistory.Append(instance, Noon, "started", "first \"step\"", "why\nnot 漢");
        InstanceHistory.Append(instance, Noon.AddTicks(1), "completed");

        var row = _codec.ToRow(instance);

        Assert.Equal(
            [new HistoryEntry(Noon, "started", "first \"step\"", "why\nnot 漢"), new HistoryEntry(Noon.AddTicks(1), "completed")],
            InstanceHistory.Parse(row.History));
        Assert.Equal("", _codec.ToRow(instance).History);
    }

    [Fact]
    public void History_of_an_endless_loop_stops_growing_and_says_so()
    {
        var instance = Instance();
        for (var i = 0; i < InstanceHistory.MaxLines + 500; i++)
        {
            InstanceHistory.Append(instance, Noon, "waiting", "again");
        }

        var lines = InstanceHistory.Parse(_codec.ToRow(instance).History);

        Assert.Equal(InstanceHistory.MaxLines + 1, lines.Count);
        Assert.Equal("truncated", lines[^1].Event);
    }

    private static LiveInstance Instance() => new()
    {
        Id = Guid.NewGuid(),
        Partition = 3,
        Definition = DefinitionCompiler.Compile("""{ "name": "d", "version": 2, "start": "a", "steps": { "a": { "type": "end" } } }"""u8
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
