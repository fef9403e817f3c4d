namespace IntegrationTests.Shared.Conformance;

/// <summary>
/// A value that no store keeps is refused or fails its instance before it reaches a batch, so it fails no flush.
/// </summary>
public abstract class LimitConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Long = "= concat(text, text, text, text, text, text, text)";

    private static readonly string Input =
        $$"""{ "zero": "a\u0000b", "late": "9999-12-31T23:59:59Z", "ages": "P36501D", "none": "", "text": "{{new string('t', 100)}}" }""";

    [Fact]
    public async Task Value_that_no_store_keeps_fails_its_instance_alone()
    {
        (string Step, string Member, string Words)[] cases =
        [
            (Waiting("= zero"), "correlation", "U+0000"),
            (Waiting("= upper(none)"), "correlation", "is empty"),
            (Waiting("LONG"), "correlation", "700 characters"),
            ("""{ "type": "task", "assignee": "= zero", "next": "done" }""", "assignee", "U+0000"),
            ("""{ "type": "task", "assignee": "LONG", "next": "done" }""", "assignee", "700 characters"),
            ("""{ "type": "task", "groups": [ "team", "= zero" ], "next": "done" }""", "groups", "U+0000"),
            ("""{ "type": "task", "groups": [ "LONG" ], "next": "done" }""", "groups", "700 characters"),
            ("""{ "type": "delay", "until": "= late", "next": "done" }""", "until", "9000-01-01"),
            ("""{ "type": "delay", "until": "= text", "next": "done" }""", "until", "ISO 8601"),
            ("""{ "type": "delay", "duration": "= ages", "next": "done" }""", "duration", "P36500D"),
        ];
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }).WithAsync(Definitions.WaitForGo);
        foreach (var (number, (step, member, words)) in cases.Index())
        {
            await engine.RegisterAsync(Only(step).Replace("\"only\"", $"\"only{number}\"", StringComparison.Ordinal));

            var bad = engine.StartAsync($"only{number}", Input);
            var others = await Task.WhenAll(
                Enumerable.Range(0, 20).Select(i => engine.StartAsync("waitForGo", $$"""{ "id": "{{i}}" }""")));

            Assert.Equal(InstanceState.Failed, (await bad).State);
            var error = (await engine.ViewAsync((await bad).Id)).Error!;
            Assert.Equal("step", error.Step);
            AssertHolds(error.Message, $"'{member}'", words, "Variables: ages, late, none, text, zero");
            Assert.All(others, other => Assert.Equal(InstanceState.Waiting, other.State));
        }

        Assert.Equal((0, 0), (engine.Engine.Statistics.FailedFlushes, engine.Engine.Statistics.RejectedCommands));

        static string Waiting(string correlation) =>
            $$"""{ "type": "waitSignal", "signal": "go", "correlation": "{{correlation}}", "next": "done" }""";
    }

    [Fact]
    public async Task Groups_too_long_for_a_list_fail_the_instance()
    {
        // Each is refused as a name only after the list was made, and a list over the limit of expressions is null.
        var engine = await EngineAsync().WithAsync(
            Only("""{ "type": "task", "groups": [ "= t", "= t", "= t", "= t", "= t" ], "next": "done" }"""));

        var started = await engine.StartAsync("only", $$"""{ "t": "{{new string('x', 1_000_000)}}" }""");

        Assert.Equal(InstanceState.Failed, started.State);
        AssertHolds((await engine.ViewAsync(started.Id)).Error!.Message, "'groups'", "gave null");
        Assert.Equal(0, engine.Engine.Statistics.FailedFlushes);
    }

    /// <summary>Each call adds a level, until the row of the instance can be written but not read.</summary>
    [Theory]
    [InlineData(49, InstanceState.Completed), InlineData(50, InstanceState.Failed)]
    public async Task Results_nested_too_deep_fail_the_instance(int levels, InstanceState expected)
    {
        var deep = new string('[', levels) + new string(']', levels);
        var engine = await EngineAsync().WithAsync(
            $$"""
            { "name": "deep", "version": 1, "start": "done", "steps": {
              "done": { "type": "end", "output": {{deep}} } } }
            """,
            Only("""{ "type": "callEach", "definition": "deep", "count": 1, "result": "r", "next": "done" }"""));

        var view = await engine.ViewAsync((await engine.StartAsync("only")).Id);

        Assert.Equal(expected, view.State);
        if (expected == InstanceState.Failed)
        {
            AssertHolds(view.Error!.Message, "list of results nests 51 levels deep", "the limit is 50");
        }
    }

    /// <summary>A loop over its own error path runs thousands of times with a megabyte of variables.</summary>
    [Fact]
    public async Task Error_names_the_first_variables_and_looks_at_no_more()
    {
        var engine = await EngineAsync()
            .WithAsync(Only("""{ "type": "delay", "until": "= missing", "next": "done" }"""));
        var variables = Enumerable.Range(1, 60).Reverse().Select(number => $"\"v{number:00}\":{number}");

        var started = await engine.StartAsync("only", $"{{{string.Join(',', variables)}}}");

        AssertHolds((await engine.ViewAsync(started.Id)).Error!.Message, "Variables: v11, v12, v13", "v59, v60, ...");
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Error_that_is_not_text_and_endless_is_stored_as_text_and_cut(bool inline)
    {
        var hostile = "a\0b\ud800" + new string('x', 10_000);
        var engine = await EngineAsync(new WorkflowEngineOptions
        {
            Lanes = 1,
            Activities =
            [
                TestActivities.Of("bad", (_, _) => throw new InvalidOperationException(hostile), inline),
            ],
        }).WithAsync(Only("""{ "type": "invoke", "activity": "bad", "next": "done" }"""),
            """
            { "name": "fails", "version": 1, "start": "step", "steps": {
              "step": { "type": "fail", "error": "= concat(text, text, text, text, text, zero)" } } }
            """);

        var invoked = await engine.StartAsync("only");
        var error = (await engine.Events.FailedAsync(invoked.Id, Cancel)).Error;
        var failed = await engine.StartAsync(
            "fails", $$"""{ "zero": "\u0000", "text": "{{new string('y', 1_000)}}" }""");

        AssertHolds(error, "Activity 'bad' failed: a\ufffdb\ufffdxxx");
        Assert.InRange(error.Length, 4_000, 4_100);
        Assert.InRange((await engine.ViewAsync(failed.Id)).Error!.Message.Length, 4_000, 4_100);
        Assert.Equal((await engine.ViewAsync(invoked.Id)).Error!.Message, error);
        Assert.NotEmpty(await engine.HistoryAsync(invoked.Id));
        Assert.Equal((0, 0), (engine.Engine.Statistics.FailedFlushes, engine.Engine.Statistics.RejectedCommands));
    }

    [Fact]
    public async Task Signal_due_later_than_a_store_keeps_is_refused()
    {
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 1, SignalTimeToLive = TimeSpan.FromDays(36_500) });

        foreach (var due in new[] { DateTimeOffset.MaxValue, StoreLimits.LatestInstant.AddTicks(1) })
        {
            var refused = await Assert.ThrowsAsync<InvalidCommandException>(
                () => engine.SignalAsync("go", "k", dueAt: due));
            AssertHolds(refused.Message, "'dueAt'", "9000-01-01T00:00:00Z");
        }

        Assert.False((await engine.SignalAsync("go", "k", dueAt: StoreLimits.LatestInstant)).Delivered);
        Assert.Equal((0, 1), (engine.Engine.Statistics.FailedFlushes, engine.Engine.Statistics.BufferedSignals));
    }

    [Fact]
    public async Task List_by_a_text_that_no_store_keeps_is_refused_by_name()
    {
        var engine = await EngineAsync();

        foreach (var text in new[] { "a\0b", "\ud800" })
        {
            var instances = await Assert.ThrowsAsync<InvalidCommandException>(() =>
                engine.Engine.ListInstancesAsync(new() { CorrelationKey = text }, Cancel));
            var tasks = await Assert.ThrowsAsync<InvalidCommandException>(() =>
                engine.Engine.ListTasksAsync(new() { Group = text }, Cancel));
            Assert.Equal(("correlationKey", "group"), (instances.Parameter, tasks.Parameter));
        }
    }

    [Fact]
    public async Task Text_with_every_character_is_stored_and_read_back_equal()
    {
        const string Text = "\u0000\u001f\"\\/<>&+'\u007f\u0085\u2028\u2029\ufeff\uffff ü漢😀";
        var engine =
            await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Activities = [TestActivities.Echo] }).WithAsync(
            """
            { "name": "keeps", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "echo", "input": "= text", "result": "echoed", "next": "wait" },
              "wait": { "type": "waitSignal", "signal": "go", "result": "answer", "next": "tell" },
              "tell": { "type": "raise", "event": "Seen", "payload": "= answer", "next": "done" },
              "done": { "type": "end", "output": [ "= text", "= echoed", "= answer" ] } } }
            """);
        var value = Value.From(
            new Dictionary<string, Value> { ["text"] = Value.From(Text), ["b" + Text] = Value.From(1) });

        var started = await engine.Engine.StartAsync(new() { Definition = "keeps", Input = value }, Cancel);
        await engine.Engine.SignalAsync(
            new() { Name = "go", InstanceId = started.Id, Payload = Value.From(Text) }, Cancel);

        await engine.Events.CompletedAsync(started.Id, Cancel);
        var view = await engine.ViewAsync(started.Id);
        Assert.Equal([Text, Text, Text], view.Output!.Value.EnumerateArray().Select(e => e.GetString()));
        Assert.Equal(1, view.Variables.GetProperty("b" + Text).GetInt32());
        var raised = Assert.Single(await engine.Events.WaitAsync<EventRaised>(1, _ => true, Cancel));
        Assert.Equal(Text, raised.Payload!.Value.GetString());
    }

    private static string Only(string step) => $$"""
        { "name": "only", "version": 1, "start": "step", "steps": { "step": {{step}}, "done": { "type": "end" } } }
        """.Replace("LONG", Long, StringComparison.Ordinal);
}
