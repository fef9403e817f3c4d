namespace IntegrationTests.Shared.Conformance;

/// <summary>A condition that gives neither true nor false stops its instance, wherever it stands.</summary>
public abstract class ConditionConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Route =
        """
        { "name": "route", "version": 1, "start": "way", "steps": {
          "way": { "type": "decide", "cases": [ { "when": "= amount > 100", "next": "check" } ], "otherwise": "pay" },
          "check": { "type": "end", "output": "checked" }, "pay": { "type": "end", "output": "paid" } } }
        """;

    [Fact]
    public async Task Decision_without_true_or_false_takes_no_way()
    {
        (string Input, string Message)[] cases =
        [
            ("{}", "gave null: there is no variable 'amount'. Variables: none."),
            ("""{ "amount": null, "b": 1 }""", "gave null. Variables: amount, b."),
            ("""{ "amount": "200" }""", "gave null. Variables: amount."),
        ];
        var engine = await EngineAsync().WithAsync(Route);
        foreach (var (input, message) in cases)
        {
            var started = await engine.StartAsync("route", input);

            Assert.Equal(InstanceState.Failed, started.State);
            var error = (await engine.ViewAsync(started.Id)).Error!;
            Assert.Equal(("way", "= amount > 100"), (error.Step, error.Expression));
            AssertHolds(error.Message, "Step 'way' needs true or false for 'when', but = amount > 100 " + message);
        }
    }

    [Fact]
    public async Task Other_values_than_booleans_decide_nothing()
    {
        (string Condition, string Input, string Message)[] cases =
        [
            ("= total", """{ "total": 1 }""", "gave 1."),
            ("= answer", """{ "answer": "true" }""", "gave \"true\"."),
            ("= order", """{ "order": { "paid": true } }""", """gave {"paid":true}."""),
            ("= order.paid", """{ "order": {} }""", "gave null."),
            ("= a and b", """{ "a": true }""", "gave null: there is no variable 'b'."),
            ("= x + y > 1", "{}", "gave null: there are no variables 'x', 'y'."),
            ("= [ true ]", "{}", "gave [true]."),
        ];
        var engine = await EngineAsync();
        foreach (var (number, (condition, input, message)) in cases.Index())
        {
            await engine.RegisterAsync(Deciding($"route{number}", condition));

            var started = await engine.StartAsync($"route{number}", input);

            AssertHolds((await engine.ViewAsync(started.Id)).Error!.Message, $"but {condition} {message}");
        }
    }

    /// <summary>Null equals null, false decides a conjunction, and <c>if</c> takes its else for null.</summary>
    [Fact]
    public async Task Condition_that_provides_for_a_missing_variable_decides()
    {
        (string Condition, string Expected)[] cases =
        [
            ("= amount = null", "checked"),
            ("= amount != null and amount > 100", "paid"),
            ("= coalesce(amount, 0) > 100", "paid"),
            ("= if amount > 100 then true else false", "paid"),
            ("= paid = true", "paid"),
            ("= true or amount > 1", "checked"),
        ];
        var engine = await EngineAsync();
        foreach (var (number, (condition, expected)) in cases.Index())
        {
            await engine.RegisterAsync(Deciding($"route{number}", condition));

            var started = await engine.StartAsync($"route{number}");

            Assert.Equal((condition, $"\"{expected}\""), (condition, await engine.OutputAsync(started.Id)));
        }
    }

    [Fact]
    public async Task Cases_after_a_true_one_are_not_evaluated()
    {
        var engine = await EngineAsync().WithAsync(Route.Replace(
            "[ {", "[ { \"when\": \"= known\", \"next\": \"check\" }, {", StringComparison.Ordinal));

        Assert.Equal(
            "\"checked\"", await engine.OutputAsync((await engine.StartAsync("route", """{ "known": true }""")).Id));
    }

    [Fact]
    public async Task Inclusive_fork_without_true_or_false_takes_no_branch()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "some", "version": 1, "start": "split", "steps": {
              "split": { "type": "inclusive", "join": "met", "otherwise": "met",
                "cases": [ { "when": "= sum > 10", "next": "large" }, { "when": "= gift", "next": "wrap" } ] },
              "large": { "type": "waitSignal", "signal": "large", "next": "met" },
              "wrap": { "type": "waitSignal", "signal": "wrap", "next": "met" },
              "met": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
            """);

        var started = await engine.StartAsync("some", """{ "sum": 50 }""");

        var view = await engine.ViewAsync(started.Id);
        AssertHolds(view.Error!.Message, "'split'", "= gift gave null: there is no variable 'gift'");
        Assert.Equal(["split"], view.Tokens!.Select(token => token.Step));
    }

    [Fact]
    public async Task Completion_condition_without_true_or_false_stops_the_calls()
    {
        var engine = await EngineAsync().WithAsync(
            """{ "name": "one", "version": 1, "start": "done", "steps": { "done": { "type": "end", "output": "= index" } } }""",
            """
            { "name": "all", "version": 1, "start": "each", "steps": {
              "each": { "type": "callEach", "definition": "one", "count": 3, "maxConcurrency": 1, "result": "r",
                "next": "done",
                "completionCondition": "= numberOfCompletedInstances >= wanted" },
              "done": { "type": "end", "output": "= r" } } }
            """);

        var started = await engine.StartAsync("all");
        var failed = await engine.Events.FailedAsync(started.Id, Cancel);

        AssertHolds(
            failed.Error,
            "'each' needs true or false for 'completionCondition'",
            "gave null: there is no variable 'wanted'");
        await engine.RetryAsync(started.Id, """{ "wanted": 2 }""");
        Assert.Equal("[1,2,null]", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Retry_with_the_variable_decides()
    {
        var engine = await EngineAsync().WithAsync(Route);
        var started = await engine.StartAsync("route");

        await engine.RetryAsync(started.Id, """{ "amount": 200 }""");

        Assert.Equal("\"checked\"", await engine.OutputAsync(started.Id));
    }

    [Fact]
    public async Task Sub_process_takes_the_error_of_a_condition()
    {
        var engine = await EngineAsync().WithAsync(
            """
            { "name": "caught", "version": 1, "start": "sub", "steps": {
              "sub": { "type": "subProcess", "start": "way", "onError": "sorry", "errorResult": "e", "next": "done" },
              "way": { "type": "decide", "cases": [ { "when": "= amount > 100", "next": "over" } ],
                "otherwise": "over" },
              "over": { "type": "end" },
              "sorry": { "type": "end", "output": "= contains(e.message, \"amount > 100\")" },
              "done": { "type": "end" } } }
            """);

        Assert.Equal("true", await engine.OutputAsync((await engine.StartAsync("caught")).Id));
    }

    /// <summary>The route with another name and condition.</summary>
    private static string Deciding(string name, string condition) => Route
        .Replace("\"name\": \"route\"", $"\"name\": \"{name}\"", StringComparison.Ordinal)
        .Replace("= amount > 100", condition, StringComparison.Ordinal);
}
