using System.Text.Json.Nodes;
using IntegrationTests.Shared.Conformance;
using Workflow.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;
using Workflow.Engine.Configuration;
using Workflow.Stores.Memory;

namespace UnitTests.Workflow.Bpmn;

/// <summary>
/// Files that an engine runs. Each script task appends its letter to the variable <c>t</c>: what has run is what BPMN says.
/// </summary>
public sealed class BpmnRunTests
{
    private const string Beside = """
        <message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="= id" /></extensionElements></message>
        <message id="n" name="note"><extensionElements><zeebe:subscription correlationKey="= id" /></extensionElements></message>
        <signal id="g" name="alarm" /><error id="one" errorCode="E1" /><error id="two" name="Second" errorCode="E2" />
        """;

    private readonly ManualTime _time = new();

    [Theory]
    [InlineData("""{ "x": false, "y": false }""", "dz"), InlineData("""{ "x": true, "y": false }""", "az"), InlineData("""{ "x": true, "y": true }""", "abz")]
    public async Task Inclusive_gateway_takes_what_is_true_or_the_default_and_goes_on_once(string input, string expected)
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><inclusiveGateway id="f" default="f_d" /><inclusiveGateway id="j" />{Flow("f", "a", "x")}{Flow("f", "b", "y")}
            """ + Marks("a b d z") + BpmnText.Flows("s>f f>d a>j b>j d>j j>z z>e"), input);

        Assert.Equal(expected, await TraceAsync(run));
    }

    [Fact]
    public async Task Inclusive_gateway_without_a_default_fails_where_nothing_is_true()
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><inclusiveGateway id="f" />{Flow("f", "a", "x")}{Flow("f", "b", "y")}
            """ + Marks("a b") + BpmnText.Flows("s>f a>e b>e"), """{ "x": false, "y": false }""");

        Assert.Contains("'f'", (await FailedAsync(run)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Branch_of_an_inclusive_split_that_ends_by_itself_is_not_waited_for()
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="o" /><inclusiveGateway id="f" /><inclusiveGateway id="j" /><exclusiveGateway id="q" default="q_o" />
            {Flow("f", "a", "x")}{Flow("f", "b", "y")}{Flow("q", "j", "stay")}
            """ + Marks("a b z") + BpmnText.Flows("s>f a>q q>o b>j j>z z>e"), """{ "x": true, "y": true, "stay": false }""");

        Assert.Equal("abz", await TraceAsync(run));
    }

    [Theory]
    [InlineData("paid", "p"), InlineData("note", "q"), InlineData("", "l")]
    public async Task First_event_behind_an_event_based_gateway_is_taken(string signal, string expected)
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><eventBasedGateway id="w" />{Catch("c1", Message("m"))}{Catch("c2", Message("n"))}{Catch("c3", Timer("PT1H"))}
            """ + Marks("p q l") + BpmnText.Flows("s>w w>c1 w>c2 w>c3 c1>p c2>q c3>l p>e q>e l>e"));
        await HappenAsync(run, signal);

        Assert.Equal(expected, await TraceAsync(run));
    }

    [Fact]
    public async Task Message_that_does_not_interrupt_comes_again_and_the_process_ends_with_the_last_token()
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="o" /><userTask id="u" />{Boundary("b", "u", Message("n"), "cancelActivity=\"false\"")}
            """ + Marks("a z") + BpmnText.Flows("s>u u>z z>e b>a a>o"));
        await HappenAsync(run, "note");
        await HappenAsync(run, "note");
        Assert.Equal(InstanceState.Waiting, (await run.Session.ViewAsync(run.Id)).State);
        await CompleteTaskAsync(run);

        Assert.Equal("aaz", await TraceAsync(run));
    }

    [Theory]
    [InlineData("paid", "m"), InlineData("alarm", "g"), InlineData("", "l"), InlineData("task", "z")]
    public async Task Event_that_interrupts_ends_the_task(string happens, string expected)
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><userTask id="u" />{Boundary("b1", "u", Message("m"))}{Boundary("b2", "u", "<signalEventDefinition signalRef=\"g\" />")}
            {Boundary("b3", "u", Timer("PT1H"))}
            """ + Marks("z m g l") + BpmnText.Flows("s>u u>z z>e b1>m b2>g b3>l m>e g>e l>e"));
        await HappenAsync(run, happens);

        Assert.Equal(expected, await TraceAsync(run));
        await run.Session.IdleAsync();
        Assert.NotEqual(TaskState.Open, Assert.Single((await run.Session.Engine.ListTasksAsync(new(), Cancel)).Items).State);
    }

    [Theory]
    [InlineData("E1", "a"), InlineData("E2", "b"), InlineData("E3", null)]
    public async Task Error_end_of_a_called_process_is_caught_by_its_code_where_it_is_called(string code, string? expected)
    {
        var called = $"""
            <process id="called" isExecutable="true"><startEvent id="s2" /><exclusiveGateway id="d" default="d_k" />{Flow("d", "h", "code = \"E1\"")}{Flow("d", "i", "code = \"E2\"")}
            <endEvent id="h"><errorEventDefinition errorRef="one" /></endEvent><endEvent id="i"><errorEventDefinition errorRef="two" /></endEvent>
            <endEvent id="k"><errorEventDefinition errorRef="three" /></endEvent>{BpmnText.Flows("s2>d d>k")}</process>
            """;
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><callActivity id="x" calledElement="called" />{Boundary("b1", "x", "<errorEventDefinition errorRef=\"one\" />")}
            {Boundary("b2", "x", "<errorEventDefinition errorRef=\"two\" />")}
            """ + Marks("z a b") + BpmnText.Flows("s>x x>z z>e b1>a b2>b a>e b>e"), $$"""{ "code": "{{code}}" }""",
            $"{Beside}<error id=\"three\" name=\"Third\" errorCode=\"E3\" />{called}");

        if (expected is null)
        {
            Assert.Equal(("E3", "Third"), ((await FailedAsync(run)).Code, (await FailedAsync(run)).Message.Split(": ")[^1]));
        }
        else
        {
            Assert.Equal(expected, await TraceAsync(run));
        }
    }

    [Fact]
    public async Task Error_of_an_activity_that_its_process_does_not_catch_is_caught_where_the_process_is_called()
    {
        var called = $"""
            <process id="called" isExecutable="true"><startEvent id="s2" /><scriptTask id="n"><script>id = id</script></scriptTask><serviceTask id="y" implementation="fail" />
            <endEvent id="e2" />{BpmnText.Flows("s2>n n>y y>e2")}</process>
            """;
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><callActivity id="x" calledElement="called" />{Boundary("b1", "x", "<errorEventDefinition errorRef=\"one\" />")}
            """ + Marks("z a") + BpmnText.Flows("s>x x>z z>e b1>a a>e"), """{ "id": "E1" }""", Beside + called);

        Assert.Equal("a", await TraceAsync(run));
    }

    [Theory]
    [InlineData("", "E1", "z"), InlineData("", null, "z")]
    [InlineData("camunda:asyncBefore=\"true\"", "E1", "zE1"), InlineData("camunda:asyncBefore=\"true\"", null, null)]
    public async Task Event_for_every_error_takes_no_failure_without_a_code_in_camunda(string dialect, string? code, string? expected)
    {
        var names = dialect.Length > 0 ? "camunda:errorCodeVariable=\"c\"" : "";
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="ok" /><serviceTask id="x" implementation="fail" {dialect} />{Boundary("b", "x", $"<errorEventDefinition {names} />")}
            """ + "<scriptTask id=\"z\"><script>t = if id = null then \"z\" else \"z\"</script></scriptTask>" + BpmnText.Flows("s>x x>ok b>z z>e"), code is null ? "{}" : $$"""{ "id": "{{code}}" }""", "<message id=\"k\" name=\"k\" />");

        if (expected is null)
        {
            Assert.Null((await FailedAsync(run)).Code);
            return;
        }

        var output = await OutputAsync(run.Session, run.Id);
        Assert.Equal(expected, $"{output["t"]}{output["c"]}");
    }

    [Fact]
    public async Task Message_start_starts_with_the_members_of_the_payload_and_any_of_several_messages_does()
    {
        await using var run = await StartAsync("""
            <startEvent id="s"><messageEventDefinition messageRef="m" /><signalEventDefinition signalRef="g" /></startEvent><endEvent id="e" />
            """ + Marks("a") + BpmnText.Flows("s>a a>e"), start: false);
        foreach (var (signal, key) in new[] { ("paid", "k1"), ("alarm", "k2") })
        {
            await run.Session.SignalAsync(signal, key, """{ "t": "from " }""");
            await run.Session.IdleAsync();
            var started = (await run.Session.Engine.ListInstancesAsync(new() { CorrelationKey = key }, Cancel)).Items.Single();
            Assert.Equal("from a", (await OutputAsync(run.Session, started.Id))["t"]!.ToString());
        }
    }

    [Fact]
    public async Task Terminate_ends_every_token()
    {
        await using var run = await StartAsync("""
            <startEvent id="s" /><endEvent id="e"><terminateEventDefinition /></endEvent><endEvent id="o" /><parallelGateway id="f" /><userTask id="u" />
            """ + Marks("a z") + BpmnText.Flows("s>f f>u f>a a>e u>z z>o"));

        Assert.Equal("a", await TraceAsync(run));
    }

    [Fact]
    public async Task Sub_process_goes_on_once_after_its_last_token_and_links_and_implicit_ends_are_what_they_stand_for()
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><intermediateThrowEvent id="l1"><linkEventDefinition name="on" /></intermediateThrowEvent>{Catch("l2", "<linkEventDefinition name=\"on\" />")}
            <subProcess id="sub"><startEvent id="s2" /><endEvent id="e2" /><parallelGateway id="f" />{Marks("a b")}{BpmnText.Flows("s2>f f>a f>b a>e2")}</subProcess>
            """ + Marks("z") + BpmnText.Flows("s>l1 l2>sub sub>z"));

        Assert.Equal("abz", await TraceAsync(run));
    }

    [Theory]
    [InlineData(true, "axz"), InlineData(false, "adz")]
    public async Task Conditions_on_flows_out_of_a_task_and_its_default_decide(bool x, string expected)
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><exclusiveGateway id="m" /><scriptTask id="a" default="a_d"><script>t = "a"</script></scriptTask>{Flow("a", "x", "go")}
            """ + Marks("x d z") + BpmnText.Flows("s>a a>d x>m d>m m>z z>e"), $$"""{ "go": {{(x ? "true" : "false")}} }""");

        Assert.Equal(expected, await TraceAsync(run));
    }

    /// <summary>The activity gives what its input has as <c>gives</c>.</summary>
    [Theory]
    [InlineData("{}", 20, 1), InlineData("""{ "amount": 7 }""", 14, 1), InlineData("""{ "amount": 7, "other": 5 }""", 14, null)]
    public async Task Input_of_a_task_is_a_variable_of_its_own_which_its_output_reads(string gives, int total, int? other)
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
            await using var run = await StartAsync($"""
                <startEvent id="s" /><endEvent id="e" />{task}<userTask id="u" />
                """ + "<exclusiveGateway id=\"g\" default=\"g_e\" />" + Flow("g", "u", "other = 0").Replace("= other = 0", "${other == 0}", StringComparison.Ordinal)
                + BpmnText.Flows("s>x x>g g>e u>e"), $$"""{ "start": 2, "gives": {{gives}}, "other": 1 }""", "<message id=\"k\" name=\"k\" />");

            var output = await OutputAsync(run.Session, run.Id);
            Assert.Equal((total, 11), (output["total"]!.GetValue<int>(), output["more"]!.GetValue<int>()));
            Assert.Null(output["amount"]);

            // Camunda 7 takes over every variable, Camunda 8 only those of the mapping.
            Assert.Equal(task == Camunda7 && other is null ? 5 : 1, output["other"]!.GetValue<int>());
        }
    }

    [Theory]
    [InlineData("""<zeebe:taskDefinition type="give" /><zeebe:ioMapping><zeebe:input source="=1" target="amount" /><zeebe:output source="=amount" target="t" /></zeebe:ioMapping>""", "")]
    [InlineData("""<camunda:inputOutput><camunda:inputParameter name="amount">${1}</camunda:inputParameter><camunda:outputParameter name="t">${amount}</camunda:outputParameter></camunda:inputOutput>""", "camunda:type=\"external\" camunda:topic=\"give\"")]
    public async Task Activity_with_a_mapping_sees_the_other_variables_of_the_process_too(string extensions, string attributes)
    {
        await using var run = await StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><scriptTask id="n"><script>gives = gives</script></scriptTask>
            <serviceTask id="x" {attributes}><extensionElements>{extensions}</extensionElements></serviceTask>
            """ + BpmnText.Flows("s>n n>x x>e"), """{ "gives": { "amount": 7 } }""", "");

        Assert.Equal("7", await TraceAsync(run));
    }

    private sealed record Run(EngineSession Session, Guid Id) : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => Session.DisposeAsync();
    }

    private async Task<Run> StartAsync(string inside, string input = """{ "id": "k" }""", string beside = Beside, bool start = true)
    {
        var options = new WorkflowEngineOptions { Lanes = 1, Activities = [new() { Name = "fail", Inline = true, InvokeAsync = Fail }, Give] };
        var session = await EngineSession.StartAsync(new InMemoryStore(), options, _time);
        foreach (var definition in BpmnText.Import(BpmnText.Process(inside, beside)))
        {
            await session.RegisterAsync(definition.Json);
        }

        return new(session, start ? (await session.StartAsync("p", input)).Id : Guid.Empty);
    }

    private static readonly Activity Give = new()
    {
        Name = "give", Inline = true, InvokeAsync = (input, _) => ValueTask.FromResult(input.AsContext()["gives"]),
    };

    private static ValueTask<Value> Fail(Value input, CancellationToken cancellationToken) =>
        throw new NonRetryableActivityException("It failed.") { Code = JsonNode.Parse(input.ToString()!)?["id"]?.ToString() };

    private async Task HappenAsync(Run run, string happens)
    {
        await run.Session.IdleAsync();
        switch (happens)
        {
            case "task":
                await CompleteTaskAsync(run);
                break;
            case "alarm":
                await run.Session.SignalAsync("alarm", run.Id);
                break;
            case "":
                _time.Advance(TimeSpan.FromHours(2));
                break;
            default:
                Assert.True((await run.Session.SignalAsync(happens, "k")).Delivered);
                break;
        }

        await run.Session.IdleAsync();
    }

    private static async Task CompleteTaskAsync(Run run)
    {
        var task = (await run.Session.Engine.ListTasksAsync(new(), Cancel)).Items.Single();
        await run.Session.Engine.CompleteTaskAsync(new() { TaskId = task.Id }, Cancel);
    }

    // Where it fails instead, the test says so at once.
    private static async Task<string> TraceAsync(Run run)
    {
        await run.Session.IdleAsync();
        var view = await run.Session.ViewAsync(run.Id);
        Assert.True(view.State != InstanceState.Failed, view.Error?.Message);
        return (await OutputAsync(run.Session, run.Id))["t"]!.ToString();
    }

    private static async Task<JsonNode> OutputAsync(EngineSession session, Guid id) => JsonNode.Parse(await session.OutputAsync(id))!;

    private static async Task<InstanceError> FailedAsync(Run run)
    {
        await run.Session.IdleAsync();
        var view = await run.Session.ViewAsync(run.Id);
        Assert.Equal(InstanceState.Failed, view.State);
        return view.Error!;
    }

    private static string Marks(string ids) =>
        string.Concat(ids.Split(' ').Select(id => $"<scriptTask id=\"{id}\"><script>t = concat(coalesce(t, \"\"), \"{id}\")</script></scriptTask>"));

    private static string Flow(string from, string to, string when) => $"""
        <sequenceFlow id="{from}_{to}" sourceRef="{from}" targetRef="{to}"><conditionExpression>= {when}</conditionExpression></sequenceFlow>
        """;

    private static string Message(string id) => $"<messageEventDefinition messageRef=\"{id}\" />";
    private static string Timer(string time) => $"<timerEventDefinition><timeDuration>{time}</timeDuration></timerEventDefinition>";
    private static string Catch(string id, string what) => $"<intermediateCatchEvent id=\"{id}\">{what}</intermediateCatchEvent>";
    private static string Boundary(string id, string at, string what, string more = "") =>
        $"<boundaryEvent id=\"{id}\" attachedToRef=\"{at}\" {more}>{what}</boundaryEvent>";
}
