using Workflow.Abstractions.Activities;

namespace UnitTests.Workflow.Bpmn;

/// <summary>Activities with several instances, imported and run.</summary>
public sealed class BpmnLoopTests
{
    private const string Called8 = """<zeebe:calledElement processId="part" />""";

    /// <summary>Reads the element and its number, and gives a sum.</summary>
    private static readonly string Sum = $"""
        <process id="part" isExecutable="true"><startEvent id="s2" /><scriptTask id="y"><script>sum = line * 10 + loopCounter</script></scriptTask><endEvent id="e2" />
        {BpmnText.Flows("s2>y y>e2")}</process>
        """;

    /// <summary>Notes what it gets as <c>v</c> and <c>k</c>.</summary>
    private static readonly string Note = $"""
        <process id="part" isExecutable="true"><startEvent id="s2" /><scriptTask id="n2"><script>k = k; v = v</script></scriptTask><serviceTask id="y" implementation="note" />
        <endEvent id="e2" />{BpmnText.Flows("s2>n2 n2>y y>e2")}</process>
        """;

    private readonly ManualTime _time = new();
    private readonly ConcurrentQueue<string> _noted = [];

    [Theory]
    [InlineData(false, "[1, 2, 3]", "", "[11,22,33]"), InlineData(true, "[1, 2, 3]", "", "[11,22,33]"),
        InlineData(false, "[]", "", "[]")]
    [InlineData(true, "[1, 2, 3]", "= numberOfCompletedInstances >= 2", "[11,22,null]")]
    [InlineData(true, "[1, 2, 3]", "= all[1] = 11", "[11,null,null]")]
    [InlineData(
        true, "[1, 2, 3]", "= numberOfInstances = 3 and numberOfActiveInstances = 0 and stop", "[11,null,null]")]
    public async Task Results_of_called_processes_are_in_element_order(
        bool sequential, string lines, string until, string expected)
    {
        await using var session = await StartAsync(
            Looped("callActivity", Called8, Loop8("= lines", "line", "= sum", sequential, until)), Sum);

        Assert.Equal(expected,
            (await OutputAsync(session, $$"""{ "lines": {{lines}}, "stop": true }"""))["all"]!.ToJsonString());
    }

    [Theory]
    [InlineData("camunda:collection=\"lines\" camunda:elementVariable=\"line\"", "", "5:0 6:1 7:2")]
    [InlineData("camunda:collection=\"${order.lines}\" camunda:elementVariable=\"line\"", "", "8:0")]
    [InlineData("isSequential=\"true\"", "<loopDataInputRef>lines</loopDataInputRef><inputDataItem name=\"line\" />",
        "5:0 6:1 7:2")]
    [InlineData("", "<loopCardinality>${copies}</loopCardinality>", "null:0 null:1")]
    [InlineData("", "<loopCardinality>0</loopCardinality>", "")]
    [InlineData(
        "isSequential=\"true\"",
        "<loopCardinality>9</loopCardinality><completionCondition>${nrOfActiveInstances == 1 and "
            + "nrOfCompletedInstances/nrOfInstances > 0.3}</completionCondition>", "null:0 null:1 null:2")]
    public async Task Camunda_7_loop_counter_starts_at_0(string attributes, string parts, string expected)
    {
        const string In =
            """<camunda:in source="line" target="v" /><camunda:in sourceExpression="${loopCounter}" target="k" />""";
        await using var session = await StartAsync(
            Looped("callActivity",
                In, $"<multiInstanceLoopCharacteristics {attributes}>{parts}</multiInstanceLoopCharacteristics>",
                "calledElement=\"part\""), Note);
        await OutputAsync(session, """{ "lines": [5, 6, 7], "order": { "lines": [8] }, "copies": 2 }""");

        Assert.Equal(expected, string.Join(' ', _noted.Order(StringComparer.Ordinal)));
    }

    [Fact]
    public async Task Plain_file_calls_a_number_of_times_and_counts_from_1()
    {
        await using var session =
            await StartAsync(Looped("callActivity", "<inputMapping source=\"loopCounter\" target=\"k\" />",
            "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>",
            "calledElement=\"part\""), Note);
        await OutputAsync(session, "{}");

        Assert.Equal(["null:1", "null:2"], _noted.Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("", "[10,20]")]
    [InlineData(
        """<zeebe:ioMapping><zeebe:input source="=line + 1" target="amount" /><zeebe:output source="=result" target="result" /></zeebe:ioMapping>""", "[20,30]")]
    [InlineData(
        """<zeebe:ioMapping><zeebe:output source="=result / factor" target="result" /></zeebe:ioMapping>""", "[1,2]")]
    public async Task Activity_runs_for_each_element_and_gives_a_result(string mapping, string expected)
    {
        await using var session = await StartAsync(
            Looped("serviceTask", $"<zeebe:taskDefinition type=\"times\" />{mapping}",
                Loop8("= lines", "line", "= result")));

        Assert.Equal(
            expected, (await OutputAsync(session, """{ "lines": [1, 2], "factor": 10 }"""))["all"]!.ToJsonString());
    }

    [Theory]
    [InlineData("times", null), InlineData("taint", "another value to a variable of the process")]
    public async Task Instance_that_would_change_a_variable_of_the_process_fails(string activity, string? expected)
    {
        await using var session = await StartAsync(Looped("serviceTask", "",
            "<multiInstanceLoopCharacteristics camunda:collection=\"lines\" "
                + "camunda:elementVariable=\"line\" />", $"camunda:type=\"external\" camunda:topic=\"{activity}\""));
        var id = (await session.StartAsync("p", """{ "lines": [1, 2], "factor": 10 }""")).Id;
        await session.IdleAsync();

        var view = await session.ViewAsync(id);
        Assert.Equal(expected is null ? InstanceState.Completed : InstanceState.Failed, view.State);
        Assert.Contains(expected ?? "", view.Error?.Message ?? "", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Each_person_of_a_loop_has_a_task()
    {
        await using var session = await StartAsync(Looped("userTask",
            "<zeebe:userTask /><zeebe:assignmentDefinition assignee=\"= who\" />",
            Loop8("= people", "who", "= approved")));
        var id = (await session.StartAsync("p", """{ "people": ["ann", "bob"] }""")).Id;
        await session.IdleAsync();
        foreach (var task in (await session.Engine.ListTasksAsync(new(), Cancel)).Items
            .OrderByDescending(task => task.Assignee))
        {
            await session.Engine.CompleteTaskAsync(
                new() { TaskId = task.Id, Output = Value.Parse($$"""{ "approved": "by {{task.Assignee}}" }""") },
                Cancel);
        }

        Assert.Equal("""["by ann","by bob"]""", JsonNode.Parse(await session.OutputAsync(id))!["all"]!.ToJsonString());
    }

    [Theory]
    [InlineData("E1", true), InlineData("E2", false)]
    public async Task Error_of_one_instance_is_caught_at_the_boundary(string code, bool caught)
    {
        const string Boundary = """
            <boundaryEvent id="b" attachedToRef="x"><errorEventDefinition errorRef="one" /></boundaryEvent><scriptTask id="h"><script>t = "caught"</script></scriptTask>
            """;
        await using var session =
            await StartAsync(Looped("serviceTask", "<zeebe:taskDefinition type=\"fail\" />", Loop8("= lines", "line"))
            + Boundary + BpmnText.Flows("b>h h>e"), "<error id=\"one\" errorCode=\"E1\" />");
        var id = (await session.StartAsync("p", $$"""{ "lines": ["{{code}}", "{{code}}"] }""")).Id;
        await session.IdleAsync();

        var view = await session.ViewAsync(id);
        Assert.Equal((caught ? InstanceState.Completed : InstanceState.Failed, caught ? null : code),
            (view.State, view.Error?.Code));
    }

    [Fact]
    public async Task Timer_at_the_boundary_ends_every_instance()
    {
        const string Boundary = """
            <boundaryEvent id="b" attachedToRef="x"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>
            <scriptTask id="h"><script>t = "late"</script></scriptTask>
            """;
        await using var session = await StartAsync(
            Looped("userTask", "<zeebe:userTask />", Loop8("= lines", "line", "= done")) + Boundary
                + BpmnText.Flows("b>h h>e"));
        var id = (await session.StartAsync("p", """{ "lines": [1, 2] }""")).Id;
        await session.IdleAsync();
        Assert.Equal(
            2, (await session.Engine.ListTasksAsync(new(), Cancel)).Items.Count(task => task.State == TaskState.Open));
        _time.Advance(TimeSpan.FromHours(2));

        Assert.Equal("late", JsonNode.Parse(await session.OutputAsync(id))!["t"]!.ToString());
        await session.IdleAsync();
        Assert.DoesNotContain(
            (await session.Engine.ListTasksAsync(new(), Cancel)).Items, task => task.State == TaskState.Open);
    }

    [Theory]
    [InlineData("callActivity", "<zeebe:calledElement processId=\"part\" propagateAllChildVariables=\"false\" />", "p")]
    [InlineData("callActivity", Called8, "p p_x"),
        InlineData("serviceTask", "<zeebe:taskDefinition type=\"times\" />", "p p_x")]
    public void Loop_body_without_a_process_becomes_a_definition(string kind, string extension, string expected)
    {
        var xml = BpmnText.Process(Between(Looped(kind, extension, Loop8("= lines", "line"))), Sum);

        var imported = BpmnText.Import(xml);
        Assert.Equal($"part {expected}", string.Join(' ', imported.Select(definition => definition.Name)));
        Assert.Equal(
            imported.Select(definition => definition.Json), BpmnText.Import(xml).Select(definition => definition.Json));
    }

    [Theory]
    [InlineData("callActivity", Called8, "<multiInstanceLoopCharacteristics />", "needs one list, or one number")]
    [InlineData(
        "callActivity", "<camunda:in variables=\"all\" />",
        "<multiInstanceLoopCharacteristics "
            + "camunda:collection=\"a\"><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>",
            "Keep one of them")]
    [InlineData("callActivity", "<camunda:out source=\"a\" target=\"b\" />",
        "<multiInstanceLoopCharacteristics camunda:collection=\"a\" />", "would set 'b' of the process")]
    [InlineData("callActivity", "<camunda:in source=\"nrOfInstances\" target=\"b\" />",
        "<multiInstanceLoopCharacteristics camunda:collection=\"a\" />", "completion conditions only")]
    [InlineData(
        "callActivity", "",
        "<multiInstanceLoopCharacteristics "
            + "camunda:elementVariable=\"a\"><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>",
            "belongs to a collection")]
    [InlineData("callActivity", "", "<multiInstanceLoopCharacteristics camunda:collection=\"a\" behavior=\"One\" />",
        "boundary events")]
    [InlineData(
        "callActivity", "",
        "<multiInstanceLoopCharacteristics camunda:collection=\"a\" "
            + "camunda:elementVariable=\"b\"><completionCondition>${b == "
            + "1}</completionCondition></multiInstanceLoopCharacteristics>", "reads 'b' of a single instance")]
    [InlineData(
        "callActivity", "",
        "<multiInstanceLoopCharacteristics camunda:collection=\"a\"><completionCondition>${results == "
            + "1}</completionCondition></multiInstanceLoopCharacteristics>", "meaning of its own")]
    [InlineData(
        "callActivity", "",
        "<multiInstanceLoopCharacteristics "
            + "camunda:collection=\"a\"><loopDataOutputRef>b</loopDataOutputRef></multiInstanceLoopCharacteristics>",
            "'loopDataOutputRef'")]
    [InlineData("serviceTask", "<zeebe:taskDefinition type=\"times\" />", "= {r: result}", "which of its names")]
    [InlineData("serviceTask", "<zeebe:taskDefinition type=\"times\" />", "= line", "the same name 'line'")]
    [InlineData("serviceTask", "<zeebe:taskDefinition type=\"times\" />", "= all", "into which its results")]
    [InlineData("serviceTask", "<zeebe:taskDefinition type=\"times\" />", "result", "Give both")]
    [InlineData(
        "serviceTask",
        "<zeebe:taskDefinition type=\"times\" /><zeebe:ioMapping><zeebe:output source=\"=a\" "
            + "target=\"b\" /></zeebe:ioMapping>", "= result", "would set 'b' of the process")]
    [InlineData(
        "userTask", "<zeebe:userTask />", "", "Each of several instances may set variables of the process (factor)")]
    [InlineData("manualTask", "", "<multiInstanceLoopCharacteristics camunda:collection=\"a\" />",
        "Make this activity a process of its own")]
    [InlineData("receiveTask", "", "<multiInstanceLoopCharacteristics />", "needs one list, or one number")]
    public void Loop_without_an_equivalent_is_refused(string kind, string extension, string loop, string advice)
    {
        var written = loop.StartsWith('<') ? loop : Loop8("= lines", "line", loop.Length > 0 ? loop : null);
        var element = Looped(
            kind, extension, written, kind == "callActivity" && extension != Called8 ? "calledElement=\"part\"" : "");

        var findings = BpmnText.Findings(BpmnText.Process(Between(element), Sum));

        Assert.Contains(
            findings,
            finding =>
                finding.Message.Contains(advice, StringComparison.Ordinal) && finding.Line >= BpmnText.FirstLine);
        Assert.All(findings, finding => Assert.Equal("x", finding.Id));
    }

    [Theory]
    [InlineData(
        """<userTask id="u"><extensionElements><zeebe:userTask /></extensionElements></userTask><scriptTask id="a"><script>sum = line * 10 + loopCounter</script></scriptTask>""", "x_s>u u>a", 2, "[11,22]")]
    [InlineData(
        """<scriptTask id="a"><script>sum = line * factor; sum = sum + 1</script></scriptTask><endEvent id="f" />""",
        "x_s>a a>f", 0, "[11,21]")]
    [InlineData(
        """<parallelGateway id="g" /><parallelGateway id="j" /><scriptTask id="a"><script>left = line</script></scriptTask><scriptTask id="b"><script>right = line</script></scriptTask><scriptTask id="c"><script>sum = left + right</script></scriptTask>""", "x_s>g g>a g>b a>j b>j j>c", 0, "[2,4]")]
    public async Task Sub_process_runs_for_each_element_with_own_variables(
        string inside, string flows, int tasks, string expected)
    {
        await using var session =
            await StartAsync(LoopedSub(Loop8("= lines", "line", "= sum"), BpmnText.Sub("x", inside, flows)));
        var id = (await session.StartAsync("p", """{ "lines": [1, 2], "factor": 10 }""")).Id;
        await session.IdleAsync();
        for (var task = 0; task < tasks; task++)
        {
            await CompleteAsync(session);
        }

        var output = JsonNode.Parse(await session.OutputAsync(id))!;
        Assert.Equal(expected, output["all"]!.ToJsonString());
        Assert.False(output.AsObject().ContainsKey("sum"));
    }

    [Fact]
    public async Task Sequential_sub_process_of_camunda_7_runs_several_times()
    {
        await using var session = await StartAsync(
            LoopedSub(
                "<multiInstanceLoopCharacteristics "
                    + "isSequential=\"true\"><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>",
            BpmnText.Sub("x", """
                <scriptTask id="a"><script>k = loopCounter; v = factor</script></scriptTask><serviceTask id="w" camunda:type="external" camunda:topic="note" />
                <endEvent id="f"><terminateEventDefinition /></endEvent>
                """, "x_s>a a>w w>f")));
        await OutputAsync(session, """{ "factor": 7 }""");

        Assert.Equal(["7:0", "7:1", "7:2"], _noted);
    }

    [Theory]
    [InlineData("", 2), InlineData("camunda:asyncBefore=\"true\"", 2)]
    public async Task Numbers_of_instances_of_camunda_7_count_in_a_plain_file_too(string dialect, int expected)
    {
        await using var session = await StartAsync(LoopedSub("""
            <multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>5</loopCardinality><completionCondition>${nrOfCompletedInstances == 2}</completionCondition></multiInstanceLoopCharacteristics>
            """, BpmnText.Sub(
                "x", $"""<scriptTask id="a"><script>k = 1; v = 1</script></scriptTask><serviceTask id="w" implementation="note" {dialect} />""", "x_s>a a>w")));
        await OutputAsync(session, "{}");

        Assert.Equal(expected, _noted.Count);
    }

    [Fact]
    public async Task Script_runs_for_each_element()
    {
        await using var session = await StartAsync(Looped(
            "scriptTask", """<zeebe:script expression="= line * factor" resultVariable="r" />""",
            Loop8("= lines", "line", "= r")));

        Assert.Equal(
            "[20,30]", (await OutputAsync(session, """{ "lines": [2, 3], "factor": 10 }"""))["all"]!.ToJsonString());
    }

    [Fact]
    public async Task Receive_task_waits_for_a_message_of_each_element()
    {
        await using var session =
            await StartAsync(Looped("receiveTask", "", Loop8("= lines", "line", "= got"), "messageRef=\"m\""),
            """<message id="m" name="came"><extensionElements><zeebe:subscription correlationKey="= line" /></extensionElements></message>""");
        var id = (await session.StartAsync("p", """{ "lines": ["a", "b"] }""")).Id;
        await session.IdleAsync();
        foreach (var key in new[] { "b", "a" })
        {
            await session.SignalAsync("came", key, $$"""{ "got": "by {{key}}" }""");
        }

        Assert.Equal("""["by a","by b"]""", JsonNode.Parse(await session.OutputAsync(id))!["all"]!.ToJsonString());
    }

    [Theory]
    [InlineData(false, "[[11,12],[21,22]]"), InlineData(true, null)]
    public async Task Several_instances_nest_and_an_error_of_one_ends_all(bool fails, string? expected)
    {
        var inner = $"""<scriptTask id="i">{Loop8("= lines", "cell", "= r", collected: "row")}<script>r = line * 10 + cell</script></scriptTask>"""
            + (fails ? $"<endEvent id=\"f\">{BpmnText.Error("one")}</endEvent>" : "<endEvent id=\"f\" />");
        await using var session =
            await StartAsync(LoopedSub(Loop8("= lines", "line", "= row"), BpmnText.Sub("x", inner, "x_s>i i>f"))
            + BpmnText.Boundary("b", "x", BpmnText.Error("one"))
            + """<scriptTask id="h"><script>t = "caught"</script></scriptTask>""" + BpmnText.Flows("b>h h>e"),
            "<error id=\"one\" errorCode=\"E1\" />");
        var output = await OutputAsync(session, """{ "lines": [1, 2] }""");

        Assert.Equal(expected ?? "\"caught\"", output[fails ? "t" : "all"]!.ToJsonString());
    }

    [Theory]
    [InlineData("times", false), InlineData("taint", true)]
    public async Task Loop_instance_that_sets_an_outer_variable_fails(string activity, bool fails)
    {
        await using var session = await StartAsync(LoopedSub(
            Loop8("= lines", "line", "= result"),
            BpmnText.Sub("x", $"<serviceTask id=\"w\" implementation=\"{activity}\" />", "x_s>w")));
        var id = (await session.StartAsync("p", """{ "lines": [1, 2], "factor": 10 }""")).Id;
        await session.IdleAsync();

        var view = await session.ViewAsync(id);
        Assert.Equal(fails ? InstanceState.Failed : InstanceState.Completed, view.State);
        Assert.Contains(fails ? "another value to a variable of the process" : "", view.Error?.Message ?? "",
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        """<scriptTask id="a"><script>factor = line</script></scriptTask>""", "x_s>a", "a", "would set 'factor'")]
    [InlineData(
        """<scriptTask id="a"><script>sum = sum + line</script></scriptTask>""", "x_s>a", "a", "reads 'sum' before")]
    [InlineData(
        """<exclusiveGateway id="g" default="g_b" /><sequenceFlow id="1" sourceRef="g" targetRef="a"><conditionExpression>= line = 1</conditionExpression></sequenceFlow><scriptTask id="a"><script>own = 1</script></scriptTask><scriptTask id="b"><script>other = own</script></scriptTask>""", "x_s>g g>b a>b", "b", "reads 'own' before")]
    [InlineData("""<receiveTask id="a" messageRef="m" />""", "x_s>a", "a", "has no key")]
    [InlineData("""<intermediateCatchEvent id="a"><signalEventDefinition signalRef="g" /></intermediateCatchEvent>""",
        "x_s>a", "a", "is sent to an instance")]
    [InlineData("""<scriptTask id="a"><script>own = all</script></scriptTask>""", "x_s>a", "x",
        "into which its results are collected")]
    public void Variable_shared_by_sub_process_instances_is_refused(
        string inside, string flows, string id, string advice)
    {
        var findings = BpmnText.Findings(
            BpmnText.Process(
                Between(LoopedSub(Loop8("= lines", "line", "= line + 1"), BpmnText.Sub("x", inside, flows))),
            """<message id="m" name="came" /><signal id="g" name="alarm" />"""));

        Assert.Contains(
            findings, finding => finding.Id == id && finding.Message.Contains(advice, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public void Variable_written_by_one_loop_instance_and_read_is_refused(bool calledIsFirst)
    {
        var loop = Loop8("= lines", "line");
        var sub = BpmnText.Sub("y", """<scriptTask id="b"><script>other = own</script></scriptTask>""", "y_s>b")
            .Replace("<startEvent id=\"y_s\"", $"{loop}<startEvent id=\"y_s\"", StringComparison.Ordinal);
        var called = $"""
            <process id="part" isExecutable="true"><startEvent id="s2" />{sub}<endEvent id="e2" />{BpmnText.Flows("s2>y y>e2")}</process>
            """;
        var writing = LoopedSub(
            loop, BpmnText.Sub("x", """<scriptTask id="a"><script>own = line</script></scriptTask>""", "x_s>a"));
        var file = BpmnText.Process($"""
            <startEvent id="s" /><callActivity id="c"><extensionElements>{Called8}</extensionElements></callActivity><endEvent id="e" />{writing}
            """ + BpmnText.Flows("s>x x>c c>e"), calledIsFirst ? called : "");

        var findings = BpmnText.Findings(
            calledIsFirst ? file : file.Replace("</definitions>", $"{called}</definitions>", StringComparison.Ordinal));

        Assert.Contains(findings,
            finding => finding.Id == "a" && finding.Message.Contains("would set 'own'", StringComparison.Ordinal));
    }

    [Fact]
    public void Process_calls_the_registered_versions_of_its_loop_body()
    {
        var imported = BpmnText.Import(
            BpmnText.Process(
                Between(Looped("serviceTask", "<zeebe:taskDefinition type=\"times\" />", Loop8("= lines", "line")))));

        Assert.Equal([false, true], imported.Select(definition => definition.IsBody));
        Assert.Equal(
            "3", JsonNode.Parse(
                imported[0].WithVersion(9, new Dictionary<string, int> { ["p_x"] = 3 }))!["steps"]!["x"]!["version"]!
                .ToString());
    }

    private static string LoopedSub(string loop, string sub) =>
        sub.Replace("<startEvent id=\"x_s\"", $"{loop}<startEvent id=\"x_s\"", StringComparison.Ordinal);

    private static async Task CompleteAsync(EngineSession session)
    {
        var task = (await session.Engine.ListTasksAsync(new(), Cancel)).Items.First(one => one.State == TaskState.Open);
        await session.Engine.CompleteTaskAsync(new() { TaskId = task.Id }, Cancel);
        await session.IdleAsync();
    }

    private static string Looped(string kind, string extensions, string loop, string attributes = "") =>
        $"<{kind} id=\"x\" {attributes}><extensionElements>{extensions}</extensionElements>{loop}</{kind}>";

    private static string Loop8(
        string items, string item, string? output = null, bool sequential = false, string until = "",
        string collected = "all") => $"""
        <multiInstanceLoopCharacteristics isSequential="{(sequential ? "true" : "false")}"><extensionElements><zeebe:loopCharacteristics inputCollection="{items}" inputElement="{item}"
        {(output is null ? "" : $"outputCollection=\"{collected}\" outputElement=\"{output}\"")} /></extensionElements>
        {(until.Length == 0 ? "" : $"<completionCondition>{until}</completionCondition>")}</multiInstanceLoopCharacteristics>
        """;

    // The process names the variable factor.
    private static string Between(string element) => """
        <startEvent id="s" /><scriptTask id="n"><script>factor = factor</script></scriptTask><endEvent id="e" />
        """ + element + BpmnText.Flows("s>n n>x x>e");

    private async Task<EngineSession> StartAsync(string element, string beside = "")
    {
        var options = new WorkflowEngineOptions
        {
            Lanes = 1,
            Activities =
            [
                Made("times",
                    input => Given(Number(input.GetValueOrDefault("amount", input["line"])) * Number(input["factor"]),
                        input["factor"])),
                Made("taint", _ => Given(1, Value.From(99))),
                Made("fail",
                    input => throw new NonRetryableActivityException("It failed.") { Code = input["line"].AsString() }),
                Made("note", input =>
                {
                    _noted.Enqueue($"{input["v"]}:{input["k"]}");
                    return Value.Null;
                }),
            ],
        };
        var session = await EngineSession.StartAsync(new InMemoryStore(), options, _time);
        foreach (var definition in BpmnText.Import(BpmnText.Process(Between(element), beside)))
        {
            await session.RegisterAsync(definition.Json);
        }

        return session;
    }

    private static Activity Made(string name, Func<IReadOnlyDictionary<string, Value>, Value> does) => new()
    {
        Name = name, Inline = true, InvokeAsync = (input, _) => ValueTask.FromResult(does(input.AsContext())),
    };

    private static decimal Number(Value value) => value.AsNumber();

    private static Value Given(decimal result, Value factor) =>
        Value.From(new Dictionary<string, Value> { ["result"] = Value.From(result), ["factor"] = factor });

    private static async Task<JsonNode> OutputAsync(EngineSession session, string input)
    {
        var id = (await session.StartAsync("p", input)).Id;
        await session.IdleAsync();
        var view = await session.ViewAsync(id);
        Assert.True(view.State == InstanceState.Completed, $"{view.State}: {view.Error?.Message}");
        return JsonNode.Parse(await session.OutputAsync(id))!;
    }
}
