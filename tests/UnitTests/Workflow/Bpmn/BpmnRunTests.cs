using static UnitTests.Workflow.Bpmn.BpmnText;

namespace UnitTests.Workflow.Bpmn;

/// <summary>
/// Files that an engine runs. Each script task appends its letter to the variable <c>t</c>: what has run is what BPMN
/// says.
/// </summary>
public sealed class BpmnRunTests
{
    [Theory]
    [InlineData("""{ "x": false, "y": false }""", "dz"), InlineData("""{ "x": true, "y": false }""", "az"),
        InlineData("""{ "x": true, "y": true }""", "abz")]
    public async Task Inclusive_gateway_takes_true_flows_or_the_default(string input, string expected)
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><inclusiveGateway id="f" default="f_d" /><inclusiveGateway id="j" />{BpmnText.Flow("f", "a", "x")}{BpmnText.Flow("f", "b", "y")}
            """ + BpmnText.Marks("a b d z") + BpmnText.Flows("s>f f>d a>j b>j d>j j>z z>e"), input);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Inclusive_gateway_without_default_and_true_flow_fails()
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><inclusiveGateway id="f" />{BpmnText.Flow("f", "a", "x")}{BpmnText.Flow("f", "b", "y")}
            """ + BpmnText.Marks("a b") + BpmnText.Flows("s>f a>e b>e"), """{ "x": false, "y": false }""");

        Assert.Contains("'f'", (await run.FailedAsync()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Ended_branch_of_an_inclusive_split_is_not_awaited()
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="o" /><inclusiveGateway id="f" /><inclusiveGateway id="j" /><exclusiveGateway id="q" default="q_o" />
            {BpmnText.Flow("f", "a", "x")}{BpmnText.Flow("f", "b", "y")}{BpmnText.Flow("q", "j", "stay")}
            """ + BpmnText.Marks("a b z") + BpmnText.Flows("s>f a>q q>o b>j j>z z>e"),
            """{ "x": true, "y": true, "stay": false }""");

        Assert.Equal("abz", await run.TraceAsync());
    }

    [Theory]
    [InlineData("paid", "p"), InlineData("note", "q"), InlineData("", "l")]
    public async Task First_event_behind_an_event_based_gateway_is_taken(string signal, string expected)
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><eventBasedGateway id="w" />{BpmnText.Catch("c1", BpmnText.Message("m"))}{BpmnText.Catch("c2", BpmnText.Message("n"))}{BpmnText.Catch("c3", BpmnText.Timer("PT1H"))}
            """ + BpmnText.Marks("p q l") + BpmnText.Flows("s>w w>c1 w>c2 w>c3 c1>p c2>q c3>l p>e q>e l>e"));
        await run.HappenAsync(signal);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Process_with_non_interrupting_message_ends_with_last_token()
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="o" /><userTask id="u" />{BpmnText.Boundary("b", "u", BpmnText.Message("n"), "cancelActivity=\"false\"")}
            """ + BpmnText.Marks("a z") + BpmnText.Flows("s>u u>z z>e b>a a>o"));
        await run.HappenAsync("note");
        await run.HappenAsync("note");
        Assert.Equal(InstanceState.Waiting, (await run.Session.ViewAsync(run.Id)).State);
        await run.HappenAsync("task");

        Assert.Equal("aaz", await run.TraceAsync());
    }

    [Theory]
    [InlineData("paid", "m"), InlineData("alarm", "g"), InlineData("", "l"), InlineData("task", "z")]
    public async Task Event_that_interrupts_ends_the_task(string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><userTask id="u" />{BpmnText.Boundary("b1", "u", BpmnText.Message("m"))}{BpmnText.Boundary("b2", "u", "<signalEventDefinition signalRef=\"g\" />")}
            {BpmnText.Boundary("b3", "u", BpmnText.Timer("PT1H"))}
            """ + BpmnText.Marks("z m g l") + BpmnText.Flows("s>u u>z z>e b1>m b2>g b3>l m>e g>e l>e"));
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
        await run.Session.IdleAsync();
        Assert.NotEqual(
            TaskState.Open, Assert.Single((await run.Session.Engine.ListTasksAsync(new(), Cancel)).Items).State);
    }

    [Theory]
    [InlineData("E1", "a"), InlineData("E2", "b"), InlineData("E3", null)]
    public async Task Error_end_of_a_called_process_is_caught_by_the_caller(string code, string? expected)
    {
        var called = $"""
            <process id="called" isExecutable="true"><startEvent id="s2" /><exclusiveGateway id="d" default="d_k" />{BpmnText.Flow("d", "h", "code = \"E1\"")}{BpmnText.Flow("d", "i", "code = \"E2\"")}
            <endEvent id="h"><errorEventDefinition errorRef="one" /></endEvent><endEvent id="i"><errorEventDefinition errorRef="two" /></endEvent>
            <endEvent id="k"><errorEventDefinition errorRef="three" /></endEvent>{BpmnText.Flows("s2>d d>k")}</process>
            """;
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><callActivity id="x" calledElement="called" />{BpmnText.Boundary("b1", "x", "<errorEventDefinition errorRef=\"one\" />")}
            {BpmnText.Boundary("b2", "x", "<errorEventDefinition errorRef=\"two\" />")}
            """ + BpmnText.Marks("z a b")
            + BpmnText.Flows("s>x x>z z>e b1>a b2>b a>e b>e"), $$"""{ "code": "{{code}}" }""",
            $"{BpmnText.Beside}<error id=\"three\" name=\"Third\" errorCode=\"E3\" />{called}");

        if (expected is null)
        {
            Assert.Equal(
                ("E3", "Third"), ((await run.FailedAsync()).Code, (await run.FailedAsync()).Message.Split(": ")[^1]));
        }
        else
        {
            Assert.Equal(expected, await run.TraceAsync());
        }
    }

    [Fact]
    public async Task Uncaught_activity_error_is_caught_by_the_calling_process()
    {
        var called = $"""
            <process id="called" isExecutable="true"><startEvent id="s2" /><scriptTask id="n"><script>id = id</script></scriptTask><serviceTask id="y" implementation="fail" />
            <endEvent id="e2" />{BpmnText.Flows("s2>n n>y y>e2")}</process>
            """;
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><callActivity id="x" calledElement="called" />{BpmnText.Boundary("b1", "x", "<errorEventDefinition errorRef=\"one\" />")}
            """ + BpmnText.Marks("z a") + BpmnText.Flows("s>x x>z z>e b1>a a>e"), """{ "id": "E1" }""",
            BpmnText.Beside + called);

        Assert.Equal("a", await run.TraceAsync());
    }

    [Theory]
    [InlineData("", "E1", "z"), InlineData("", null, "z")]
    [InlineData("camunda:asyncBefore=\"true\"", "E1", "zE1"), InlineData("camunda:asyncBefore=\"true\"", null, null)]
    public async Task Event_for_every_error_ignores_failures_without_a_code(
        string dialect, string? code, string? expected)
    {
        var names = dialect.Length > 0 ? "camunda:errorCodeVariable=\"c\"" : "";
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="ok" /><serviceTask id="x" implementation="fail" {dialect} />{BpmnText.Boundary("b", "x", $"<errorEventDefinition {names} />")}
            """ + "<scriptTask id=\"z\"><script>t = if id = null then \"z\" else \"z\"</script></scriptTask>"
            + BpmnText.Flows("s>x x>ok b>z z>e"), code is null ? "{}" : $$"""{ "id": "{{code}}" }""",
            "<message id=\"k\" name=\"k\" />");

        if (expected is null)
        {
            Assert.Null((await run.FailedAsync()).Code);
            return;
        }

        var output = await run.OutputAsync();
        Assert.Equal(expected, $"{output["t"]}{output["c"]}");
    }

    [Fact]
    public async Task Message_start_takes_the_members_of_the_payload()
    {
        await using var run = await BpmnRun.StartAsync("""
            <startEvent id="s"><messageEventDefinition messageRef="m" /><signalEventDefinition signalRef="g" /></startEvent><endEvent id="e" />
            """ + BpmnText.Marks("a") + BpmnText.Flows("s>a a>e"), start: false);
        foreach (var (signal, key) in new[] { ("paid", "k1"), ("alarm", "k2") })
        {
            await run.Session.SignalAsync(signal, key, """{ "t": "from " }""");
            await run.Session.IdleAsync();
            var started =
                (await run.Session.Engine.ListInstancesAsync(new() { CorrelationKey = key }, Cancel)).Items.Single();
            Assert.Equal("from a", (await run.OutputAsync(started.Id))["t"]!.ToString());
        }
    }

    [Fact]
    public async Task Terminate_ends_every_token()
    {
        await using var run = await BpmnRun.StartAsync("""
            <startEvent id="s" /><endEvent id="e"><terminateEventDefinition /></endEvent><endEvent id="o" /><parallelGateway id="f" /><userTask id="u" />
            """ + BpmnText.Marks("a z") + BpmnText.Flows("s>f f>u f>a a>e u>z z>o"));

        Assert.Equal("a", await run.TraceAsync());
    }

    [Fact]
    public async Task Sub_process_continues_once_after_its_last_token()
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><intermediateThrowEvent id="l1"><linkEventDefinition name="on" /></intermediateThrowEvent>{BpmnText.Catch("l2", "<linkEventDefinition name=\"on\" />")}
            <subProcess id="sub"><startEvent id="s2" /><endEvent id="e2" /><parallelGateway id="f" />{BpmnText.Marks("a b")}{BpmnText.Flows("s2>f f>a f>b a>e2")}</subProcess>
            """ + BpmnText.Marks("z") + BpmnText.Flows("s>l1 l2>sub sub>z"));

        Assert.Equal("abz", await run.TraceAsync());
    }

    [Theory]
    [InlineData(true, "axz"), InlineData(false, "adz")]
    public async Task Conditions_on_flows_out_of_a_task_and_its_default_decide(bool x, string expected)
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><exclusiveGateway id="m" /><scriptTask id="a" default="a_d"><script>t = "a"</script></scriptTask>{BpmnText.Flow("a", "x", "go")}
            """ + BpmnText.Marks("x d z")
            + BpmnText.Flows("s>a a>d x>m d>m m>z z>e"), $$"""{ "go": {{(x ? "true" : "false")}} }""");

        Assert.Equal(expected, await run.TraceAsync());
    }

    /// <summary>The activity returns the member <c>gives</c> of its input.</summary>
    [Theory]
    [InlineData("{}", 20, 1), InlineData("""{ "amount": 7 }""", 14, 1),
        InlineData("""{ "amount": 7, "other": 5 }""", 14, null)]
    public async Task Input_of_a_task_is_a_local_variable(string gives, int total, int? other)
    {
        const string Camunda8 = """
            <serviceTask id="x"><extensionElements><zeebe:taskDefinition type="give" /><zeebe:ioMapping>
            <zeebe:input source="=gives" target="gives" /><zeebe:input source="=start * 5" target="amount" /><zeebe:input source="=amount + 1" target="more" />
            <zeebe:output source="=amount * 2" target="total" /><zeebe:output source="=more" target="more" /></zeebe:ioMapping></extensionElements></serviceTask>
            """;
        const string Camunda7 = """
            <serviceTask id="x" camunda:type="external" camunda:topic="give"><extensionElements><camunda:inputOutput>
            <camunda:inputParameter name="gives">${gives}</camunda:inputParameter><camunda:inputParameter name="amount">${start * 5}</camunda:inputParameter>
            <camunda:inputParameter name="more">${amount - -1}</camunda:inputParameter>
            <camunda:outputParameter name="total">${amount * 2}</camunda:outputParameter><camunda:outputParameter name="more">${more}</camunda:outputParameter>
            </camunda:inputOutput></extensionElements></serviceTask>
            """;
        foreach (var task in new[] { Camunda8, Camunda7 })
        {
            await using var run = await BpmnRun.StartAsync($"""
                <startEvent id="s" /><endEvent id="e" />{task}<userTask id="u" />
                """ + "<exclusiveGateway id=\"g\" default=\"g_e\" />"
                + BpmnText.Flow("g", "u", "other = 0").Replace("= other = 0", "${other == 0}", StringComparison.Ordinal)
                + BpmnText.Flows("s>x x>g g>e u>e"), $$"""{ "start": 2, "gives": {{gives}}, "other": 1 }""",
                "<message id=\"k\" name=\"k\" />");

            var output = await run.OutputAsync();
            Assert.Equal((total, 11), (output["total"]!.GetValue<int>(), output["more"]!.GetValue<int>()));
            Assert.Null(output["amount"]);

            // Camunda 7 takes over every variable, Camunda 8 only those of the mapping.
            Assert.Equal(task == Camunda7 && other is null ? 5 : 1, output["other"]!.GetValue<int>());
        }
    }

    [Theory]
    [InlineData(
        """<zeebe:taskDefinition type="give" /><zeebe:ioMapping><zeebe:input source="=1" target="amount" /><zeebe:output source="=amount" target="t" /></zeebe:ioMapping>""", "")]
    [InlineData(
        """<camunda:inputOutput><camunda:inputParameter name="amount">${1}</camunda:inputParameter><camunda:outputParameter name="t">${amount}</camunda:outputParameter></camunda:inputOutput>""", "camunda:type=\"external\" camunda:topic=\"give\"")]
    public async Task Activity_with_a_mapping_sees_the_process_variables(string extensions, string attributes)
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><scriptTask id="n"><script>gives = gives</script></scriptTask>
            <serviceTask id="x" {attributes}><extensionElements>{extensions}</extensionElements></serviceTask>
            """ + BpmnText.Flows("s>n n>x x>e"), """{ "gives": { "amount": 7 } }""", "");

        Assert.Equal("7", await run.TraceAsync());
    }

    [Theory]
    [InlineData("paid", "a"), InlineData(null, "a")]
    public async Task Request_and_message_start_at_the_same_place(string? signal, string expected)
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><startEvent id="s1">{Message("m")}</startEvent><startEvent id="s2">{Message("n")}</startEvent><endEvent id="e" /><exclusiveGateway id="x" />
            """ + Marks("a") + Flows("s>x s1>x s2>x x>a a>e"), start: signal is null);
        var id = run.Id;
        if (signal is not null)
        {
            await run.Session.SignalAsync(signal, "key", "{}");
            await run.Session.IdleAsync();
            id = (await run.Session.Engine.ListInstancesAsync(new() { CorrelationKey = "key" }, Cancel)).Items
                .Single().Id;
        }

        Assert.Equal(expected, (await run.OutputAsync(id))["t"]!.ToString());
    }

    [Theory]
    [InlineData("s>a s1>b a>e b>e", "a b")]
    [InlineData("s>a s1>a a>e s>b b>e", "a b")]
    public void Starts_at_different_places_are_refused(string flows, string marks)
    {
        var findings = Findings(
            Process("""<startEvent id="s" /><endEvent id="e" />"""
                + $"""<startEvent id="s1">{Message("m")}</startEvent>""" + Marks(marks) + Flows(flows),
                BpmnText.Beside));

        Assert.Contains(findings,
            finding => finding.Id == "s1" && finding.Message.Contains("the same element", StringComparison.Ordinal));
    }
}
