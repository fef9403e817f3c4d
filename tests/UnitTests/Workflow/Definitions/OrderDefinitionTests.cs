namespace UnitTests.Workflow.Definitions;

/// <summary>The example of the design, member by member.</summary>
public sealed class OrderDefinitionTests
{
    private readonly WorkflowDefinition _order = Compile.Good(
        DefinitionCompiler.Compile(Fixtures.Read("definitions", "order.json"), Compile.Rules));

    private static readonly IReadOnlyDictionary<string, Value> Variables =
        Value.Parse("""{"price":2.5,"quantity":50,"total":125,"requestId":"r-1","agent":"ann","orderId":"o-1"}""").AsContext();

    [Fact]
    public void It_has_every_step_type()
    {
        Assert.Equal(("order", 1, "prepare"), (_order.Name, _order.Version, _order.Start));
        Assert.Equal(14, _order.Steps.Count);
        Assert.All(_order.Steps, step => Assert.Equal(step.Key, step.Value.Id));
        Assert.Equal(
            ["call", "decide", "delay", "end", "fail", "fork", "invoke", "join", "raise", "set", "task", "waitSignal"],
            _order.Steps.Values.Select(step => step.Type).Distinct().Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Set_and_decide_evaluate()
    {
        var set = Step<SetStep>("prepare");
        var decide = Step<DecideStep>("route");

        var (name, value) = Assert.Single(set.Values);
        Assert.Equal("total", name);
        Assert.Equal(125m, value.Evaluate(Variables).AsNumber());
        Assert.Equal("route", set.Next);
        Assert.True(Assert.Single(decide.Cases).When.Evaluate(Variables).IsTrue);
        Assert.Equal(("split", "wait"), (decide.Cases[0].Next, decide.Otherwise));
    }

    [Fact]
    public void Fork_and_join_are_linked()
    {
        Assert.Equal(["stock", "credit"], Step<ForkStep>("split").Branches);
        Assert.Equal("both", Step<ForkStep>("split").Join);
        Assert.Equal("wait", Step<JoinStep>("both").Next);
    }

    [Fact]
    public void Waiting_steps_keep_their_times()
    {
        var wait = Step<WaitSignalStep>("wait");

        Assert.Equal("resume", wait.Signal);
        Assert.Equal("r-1", wait.Correlation!.Evaluate(Variables).AsString());
        Assert.Equal((TimeSpan.FromSeconds(30), "late", "answer", "pause"), (wait.Timeout!.Value, wait.OnTimeout, wait.Result, wait.Next));
        Assert.Equal("PT2S", Step<DelayStep>("pause").Duration!.Evaluate(Variables).AsString());
        Assert.Null(Step<DelayStep>("pause").Until);
    }

    [Fact]
    public void Task_call_and_invoke_keep_their_members()
    {
        var task = Step<TaskStep>("check");
        var call = Step<CallStep>("call");
        var send = Step<InvokeStep>("send");

        Assert.Equal("ann", task.Assignee!.Evaluate(Variables).AsString());
        Assert.Equal(Value.Parse("[\"underwriters\"]"), task.Groups!.Evaluate(Variables));
        Assert.Equal(("decision", "call"), (task.Result, task.Next));
        Assert.Equal(("policy", null, "policy", "send"), (call.Definition, call.Version, call.Result, call.Next));
        Assert.Equal(Value.Parse("""{"id":"o-1"}"""), call.Input!.Evaluate(Variables));
        Assert.Equal(new RetryPolicy(5, TimeSpan.FromMilliseconds(100), 2), send.Retry);
        Assert.Equal(("echo", "late", "tell"), (send.Activity, send.OnError, send.Next));
        Assert.Equal(Value.Empty, send.Input!.Evaluate(Variables));
    }

    [Fact]
    public void Raise_end_and_fail_keep_their_members()
    {
        Assert.Equal("OrderConfirmed", Step<RaiseStep>("tell").Event);
        Assert.Equal(Value.Parse("""{"id":"o-1"}"""), Step<RaiseStep>("tell").Payload!.Evaluate(Variables));
        Assert.Equal(Value.Parse("""{"total":125}"""), Step<EndStep>("done").Output!.Evaluate(Variables));
        Assert.False(Step<EndStep>("done").Terminate);
        Assert.Equal("too late", Step<FailStep>("late").Error.Evaluate(Variables).AsString());
    }

    [Fact]
    public void Formatting_does_not_change_the_hash()
    {
        var json = JsonNode.Parse(Fixtures.Read("definitions", "order.json"))!;
        var other = Reversed(json).ToJsonString(new JsonSerializerOptions { WriteIndented = true })
            .Replace("100\n", "1.00e2\n", StringComparison.Ordinal);
        Assert.Contains("1.00e2", other, StringComparison.Ordinal);

        var compiled = Compile.Good(Compile.Json(other));

        Assert.Equal(_order.CanonicalJson, compiled.CanonicalJson);
        Assert.Equal(_order.ContentHash, compiled.ContentHash);
        Assert.Matches("^[0-9a-f]{64}$", compiled.ContentHash);
    }

    [Fact]
    public void Other_content_changes_the_hash()
    {
        var text = Encoding.UTF8.GetString(Fixtures.Read("definitions", "order.json"));

        Assert.NotEqual(
            _order.ContentHash, Compile.Good(Compile.Json(text.Replace("too late", "too  late", StringComparison.Ordinal))).ContentHash);
    }

    [Fact]
    public void Metadata_is_part_of_the_content()
    {
        var named = Compile.Good(Compile.Json("""
            { "name": "test", "version": 1, "start": "s", "title": "= Überprüfung", "documentation": "Two\nlines.",
              "source": { "document": "order.bpmn", "element": "Process_1" }, "steps": {
                "s": { "type": "set", "values": {}, "next": "done", "title": "Nothing", "source": { "element": "Task_1", "line": 12 } },
                "done": { "type": "end", "documentation": "= 1 +" } } }
            """));
        var bare = Compile.Good(Compile.Steps("s", """ "s": { "type": "set", "values": {}, "next": "done" }, "done": { "type": "end" } """));

        Assert.Equal(("= Überprüfung", "Two\nlines."), (named.Title, named.Documentation));
        Assert.Equal(new SourceLocation("order.bpmn", "Process_1"), named.Source);
        Assert.Equal(("Nothing", null, new SourceLocation(Element: "Task_1", Line: 12)),
            (named.Steps["s"].Title, named.Steps["s"].Documentation, named.Steps["s"].Source));
        Assert.Equal("= 1 +", named.Steps["done"].Documentation);
        Assert.Null(bare.Steps["s"].Source);
        Assert.NotEqual(bare.ContentHash, named.ContentHash);
        Assert.Equal(named.CanonicalJson, Compile.Good(Compile.Json(named.CanonicalJson)).CanonicalJson);
    }

    [Fact]
    public void Its_canonical_form_compiles_to_itself() =>
        Assert.Equal(_order.CanonicalJson, Compile.Good(Compile.Json(_order.CanonicalJson)).CanonicalJson);

    private T Step<T>(string id)
        where T : StepDefinition => Assert.IsType<T>(_order.Steps[id]);

    private static JsonNode Reversed(JsonNode node) => node switch
    {
        JsonObject members =>
            new JsonObject(members.Reverse().Select(member => KeyValuePair.Create(member.Key, (JsonNode?)Reversed(member.Value!)))),
        JsonArray items => new JsonArray(items.Select(item => (JsonNode?)Reversed(item!)).ToArray()),
        _ => node.DeepClone(),
    };
}
