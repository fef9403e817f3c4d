using Workflow.Abstractions.Activities;

namespace UnitTests.Workflow.Engine;

/// <summary>
/// Limits on the cost of a command and on sizes. Past them an instance fails with its path, and no other instance does.
/// </summary>
public sealed class CommandBudgetTests
{
    private const string Small =
        """{ "name": "small", "version": 1, "start": "done", "steps": { "done": { "type": "end" } } }""";

    /// <summary>Without the budget an attack takes minutes, and with it less than a second of a processor.</summary>
    private static readonly TimeSpan InTime = TimeSpan.FromSeconds(60);

    private static readonly Value Items = Value.From(Enumerable.Repeat(Value.From(1), 100_000).ToArray());
    private static readonly Value Text = Value.From(new string('a', 900_000));

    /// <summary>Each loops 10,000 times over something large, without a wait. A quote is '.</summary>
    public static TheoryData<string> Attacks =>
    [
        Set("concat(x, [1])"), Set("x.a"), Set("sum(x)"), Set("max(x)"), Set("x = concat(x)"), Set("2 in x"),
        Set("[2] in x"),
        Set("length(string(x))"), Set("t + 'a'"), Set("upper(t)"), Set("substring(t, 2)"), Set("t < t"),
        Set("t between t and t"),
        Set("contains(t, substring(t, 450000) + 'b')"), Set($"{Repeated("n", " + ", 1_000)}"),
        Set($"[{Repeated("{a:n}", ",", 400)}]"),
        Set(Repeated("n ** 2147483646", " + ", 100)), Set($"[{Repeated("string(n)", ",", 300)}]"),
        "\"type\": \"raise\", \"event\": \"E\", \"payload\": \"= x\"",
        "\"type\": \"raise\", \"event\": \"E\", \"payload\": [ \"= t\" ]",
        "\"type\": \"call\", \"definition\": \"small\"",
        "\"type\": \"call\", \"definition\": \"small\", \"input\": { \"x\": \"= x\" }",
        "\"type\": \"invoke\", \"activity\": \"bad\", \"input\": \"= concat(x)\", \"onError\": \"again\"",
    ];

    [Theory]
    [MemberData(nameof(Attacks))]
    public async Task Work_past_the_budget_fails_the_instance_alone(string step)
    {
        var bad = new Activity
            { Name = "bad", Inline = true, InvokeAsync = (_, _) => throw new InvalidOperationException("no") };
        var limits = new EngineLimits { MaxInstanceSize = 16_000_000 };
        await using var engine = await EngineSession.StartAsync(
            new InMemoryStore(), new WorkflowEngineOptions { Lanes = 1, Activities = [bad], Limits = limits })
            .WithAsync(Loop(step), Small);
        var input = Value.From(
            new Dictionary<string, Value> { ["x"] = Items, ["t"] = Text, ["n"] = Value.From(1.0000000001m) });

        var attack = engine.Engine.StartAsync(new() { Definition = "loop", Input = input }, Cancel);
        var neighbour = engine.StartAsync("small");

        Assert.Equal(InstanceState.Completed, (await neighbour.WaitAsync(InTime, Cancel)).State);
        var started = await attack.WaitAsync(InTime, Cancel);
        Assert.Equal(InstanceState.Failed, started.State);
        var error = (await engine.ViewAsync(started.Id)).Error!;
        AssertHolds(error.Message, "units of work", "and may take 1000000", "step", "MaxWorkPerCommand");
    }

    [Fact]
    public async Task Work_of_sub_workflows_counts_against_their_caller()
    {
        await using var engine = await EngineSession.StartAsync(
            new InMemoryStore(), new WorkflowEngineOptions { Lanes = 1, MaxWorkPerCommand = 20_000 }).WithAsync(
            """
            { "name": "child", "version": 1, "start": "work", "steps": {
              "work": { "type": "set", "values": { "y": "= sum(x)" }, "next": "done" }, "done": { "type": "end" } } }
            """,
            Loop("""
            "type": "call", "definition": "child", "input": { "x": "= x" }, "onError": "again"
            """.Trim()));

        var started = await engine.StartAsync("loop", $$"""{ "x": [{{Repeated("1", ",", 1_000)}}] }""");

        Assert.Equal(InstanceState.Failed, started.State);
        var statistics = engine.Engine.Statistics;
        Assert.InRange(statistics.Called, 3, 10);
        Assert.Equal((statistics.Called, 0), (statistics.Failed + statistics.Completed - 1, statistics.LiveInstances));
    }

    [Fact]
    public async Task Work_before_and_after_a_wait_are_budgets_of_their_own()
    {
        await using var engine = await EngineSession.StartAsync(
            new InMemoryStore(), new WorkflowEngineOptions { Lanes = 1, MaxWorkPerCommand = 5_000 }).WithAsync(
            """
            { "name": "twice", "version": 1, "start": "one", "steps": {
              "one": { "type": "set", "values": { "a": "= sum(x)" }, "next": "wait" },
              "wait": { "type": "waitSignal", "signal": "go", "next": "two" },
              "two": { "type": "set", "values": { "b": "= sum(x)" }, "next": "done" },
              "done": { "type": "end", "output": "= a + b" } } }
            """);

        var started = await engine.StartAsync("twice", $$"""{ "x": [{{Repeated("1", ",", 3_000)}}] }""");
        await engine.SignalAsync("go", started.Id);

        Assert.Equal("6000", await engine.OutputAsync(started.Id));
    }

    [Theory]
    [InlineData("\"type\": \"set\", \"values\": { \"y\": \"= concat(y, x)\" }", "The largest is", "MaxInstanceSize")]
    [InlineData("\"type\": \"raise\", \"event\": \"E\"", "The output has", "MaxInstanceSize")]
    [InlineData(
        "\"type\": \"invoke\", \"activity\": \"grow\", \"input\": \"= x\"", "its result has", "the limit is 10000")]
    [InlineData("\"type\": \"invoke\", \"activity\": \"hold\", \"input\": \"= x\"", "inputs of its running activities",
        "MaxInstanceSize")]
    public async Task Instance_past_its_size_fails_with_the_size(string step, string what, string limit)
    {
        await using var engine = await SizedAsync(new() { MaxInstanceSize = 10_000 }, Loop(step));

        // With stop it ends after the first step, with an output twice as large as x.
        var stop = what == "The output has" ? "true" : "false";
        var started = await engine.StartAsync(
            "loop", $$"""{ "x": [{{Repeated("1", ",", 3_000)}}], "y": [], "stop": {{stop}} }""");

        AssertHolds((await engine.Events.FailedAsync(started.Id, Cancel)).Error, what, limit);
        await Assert.ThrowsAsync<InvalidCommandException>(
            () => engine.StartAsync("loop", $$"""{ "x": "{{new string('x', 10_000)}}" }"""));
    }

    [Fact]
    public async Task Size_of_an_instance_is_that_of_its_variables()
    {
        var store = new InMemoryStore();
        const string Grows = """
            { "name": "grows", "version": 1, "start": "wait", "steps": {
              "wait": { "type": "waitSignal", "signal": "go", "result": "more", "next": "add" },
              "add": { "type": "set", "values": { "all": "= concat(all, more)" }, "next": "wait" } } }
            """;
        var options = new WorkflowEngineOptions { Lanes = 1, Limits = new() { MaxInstanceSize = 1_000 } };
        await using var first = await EngineSession.StartAsync(store, options).WithAsync(Grows);
        var started = await first.StartAsync("grows", """{ "all": "" }""");
        for (var i = 0; i < 4; i++)
        {
            await first.SignalAsync("go", started.Id, $"\"{new string('x', 150)}\"");
        }

        await first.DisposeAsync();
        await using var next = await EngineSession.StartAsync(store.Reopen(), options);
        Assert.Equal(InstanceState.Waiting, (await next.ViewAsync(started.Id)).State);
        await next.SignalAsync("go", started.Id, $"\"{new string('x', 250)}\"");

        var error = (await next.Events.FailedAsync(started.Id, Cancel)).Error;
        AssertHolds(error, "have 1119 characters of JSON", "the limit is 1000", "'all' with 852");
    }

    [Fact]
    public async Task Waits_and_calls_past_their_limit_fail_the_instance()
    {
        await using var engine = await SizedAsync(new() { MaxOpenWaits = 2, MaxChildren = 3 },
            """
            { "name": "forks", "version": 1, "start": "fork", "steps": {
              "fork": { "type": "fork", "branches": [ "a", "b", "c" ], "join": "join" },
              "a": { "type": "task", "next": "join" }, "b": { "type": "delay", "duration": "PT1H", "next": "join" },
              "c": { "type": "waitSignal", "signal": "go", "next": "join" },
              "join": { "type": "join", "next": "end" }, "end": { "type": "end" } } }
            """,
            Small, Loop("\"type\": \"call\", \"definition\": \"small\""));

        var forked = await engine.StartAsync("forks");
        var calling = await engine.StartAsync("loop");

        AssertHolds((await engine.Events.FailedAsync(forked.Id, Cancel)).Error, "2 open waits, the limit is 2",
            "fork > a > b > c");
        AssertHolds((await engine.Events.FailedAsync(calling.Id, Cancel)).Error,
            "called 3 sub-workflows, the limit is 3", "MaxChildren");
        var statistics = engine.Engine.Statistics;
        Assert.Equal((3, 0, 0), (statistics.Called, statistics.OpenTasks, statistics.LiveInstances));
    }

    [Fact]
    public async Task Signals_past_a_limit_are_refused_until_one_is_taken()
    {
        await using var engine = await SizedAsync(
            new() { MaxSignalsPerKey = 2, MaxSignals = 4, MaxSignalsSize = 1_000, MaxInboxSignals = 2,
                MaxInboxSize = 500 },
            Waits("waitForGo", "\"correlation\": \"= id\", "), Waits("waitById", ""));
        var waiting = await engine.StartAsync("waitForGo", """{ "id": "w" }""");
        var byId = await engine.StartAsync("waitById");

        await engine.SignalAsync("go", "k", "1", "first");
        await engine.SignalAsync("go", "k", "2");
        AssertFull(
            await RefusedAsync(() => engine.SignalAsync("go", "k", "3", "third")), "2 signals 'go' wait for key 'k'");
        Assert.True((await engine.SignalAsync("go", "k", "1", "first")).Duplicate);
        AssertFull(await RefusedAsync(() => engine.SignalAsync("go", "other", $"\"{new string('x', 1_000)}\"")),
            "The lane keeps 2");

        Assert.False((await engine.SignalAsync("later", byId.Id, "1")).Delivered);
        AssertFull(await RefusedAsync(() => engine.SignalAsync("later", byId.Id, $"\"{new string('x', 500)}\"")),
            "MaxInboxSize");
        await engine.SignalAsync("later", byId.Id, "2");
        AssertFull(await RefusedAsync(() => engine.SignalAsync("later", byId.Id, "3")), "2 signals", "MaxInboxSignals");
        AssertFull(await RefusedAsync(() => engine.SignalAsync("go", "new", "3")), "The lane keeps 4", "MaxSignals");

        Assert.True((await engine.SignalAsync("go", "w", "5")).Delivered);
        Assert.True((await engine.SignalAsync("go", byId.Id, "6")).Delivered);
        Assert.Equal("5", await engine.OutputAsync(waiting.Id));
        var taker = await engine.StartAsync("waitForGo", """{ "id": "k" }""");
        Assert.Equal("1", await engine.OutputAsync(taker.Id));
        Assert.False((await engine.SignalAsync("go", "k", "3", "third")).Duplicate);
        Assert.Equal(0, engine.Engine.Statistics.FailedFlushes);

        static Task<SignalsFullException> RefusedAsync(Func<Task> send) =>
            Assert.ThrowsAsync<SignalsFullException>(send);

        static void AssertFull(SignalsFullException refused, params string[] words)
        {
            AssertHolds(refused.Message, words);
            Assert.InRange(refused.RetryAfter.TotalSeconds, 1, 60);
        }
    }

    [Fact]
    public async Task Definitions_past_a_limit_are_refused_and_known_ones_are_not()
    {
        await using var engine = await SizedAsync(new() { MaxDefinitions = 2 }, Small);
        await engine.RegisterAsync(Small.Replace("\"version\": 1", "\"version\": 2", StringComparison.Ordinal));

        var full = await Assert.ThrowsAsync<DefinitionsFullException>(() =>
            engine.RegisterAsync(Small.Replace("\"version\": 1", "\"version\": 3", StringComparison.Ordinal)));

        AssertHolds(full.Message, "2 versions", "MaxDefinitions");
        Assert.False((await engine.RegisterAsync(Small)).Created);
    }

    private static Task<EngineSession> SizedAsync(EngineLimits limits, params string[] definitions) =>
        EngineSession.StartAsync(
        new InMemoryStore(), new WorkflowEngineOptions { Lanes = 1, Limits = limits, Activities = [Grow, Hold] })
        .WithAsync(definitions);

    private static Activity Grow { get; } =
        TestActivities.Of("grow", (input, _) => new(Value.From([input, input])), inline: true);
    private static Activity Hold { get; } = TestActivities.Of("hold", (input, _) => new(Value.From([input, input])));

    private static string Repeated(string part, string separator, int count) =>
        string.Join(separator, Enumerable.Repeat(part, count));
    private static string Set(string expression) =>
        $"\"type\": \"set\", \"values\": {{ \"y\": \"= "
            + $"{expression.Replace("'", "\\\"", StringComparison.Ordinal)}\" }}";

    private static string Loop(string step) => $$"""
        { "name": "loop", "version": 1, "start": "step", "steps": {
          "step": { {{step}}, "next": "again" },
          "again": { "type": "decide", "cases": [ { "when": "= stop = true", "next": "done" } ], "otherwise": "step" },
          "done": { "type": "end", "output": "= concat(x, x)" } } }
        """;

    private static string Waits(string name, string correlation) => $$"""
        { "name": "{{name}}", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", {{correlation}}"result": "answer", "next": "done" },
          "done": { "type": "end", "output": "= answer" } } }
        """;
}
