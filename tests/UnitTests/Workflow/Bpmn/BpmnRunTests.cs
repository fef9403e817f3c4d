using static UnitTests.Workflow.Bpmn.BpmnText;

namespace UnitTests.Workflow.Bpmn;

/// <summary>
/// Files that an engine runs. Each script task appends its letter to the variable <c>t</c>: what has run is what BPMN says.
/// </summary>
public sealed class BpmnRunTests
{
    [Theory]
    [InlineData("""{ "x": false, "y": false }""", "dz"), InlineData("""{ "x": true, "y": false }""", "az"), InlineData("""{ "x": true, "y": true }""", "abz")]
    public async Task Inclusive_gateway_takes_what_is_true_or_the_default_and_goes_on_once(string input, string expected)
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><inclusiveGateway id="f" default="f_d" /><inclusiveGateway id="j" />{BpmnText.Flow("f", "a", "x")}{BpmnText.Flow("f", "b", "y")}
            """ + BpmnText.Marks("a b d z") + BpmnText.Flows("s>f f>d a>j b>j d>j j>z z>e"), input);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Inclusive_gateway_without_a_default_fails_where_nothing_is_true()
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><inclusiveGateway id="f" />{BpmnText.Flow("f", "a", "x")}{BpmnText.Flow("f", "b", "y")}
            """ + BpmnText.Marks("a b") + BpmnText.Flows("s>f a>e b>e"), """{ "x": false, "y": false }""");

        Assert.Contains("'f'", (await run.FailedAsync()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Branch_of_an_inclusive_split_that_ends_by_itself_is_not_waited_for()
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="o" /><inclusiveGateway id="f" /><inclusiveGateway id="j" /><exclusiveGateway id="q" default="q_o" />
            {BpmnText.Flow("f", "a", "x")}{BpmnText.Flow("f", "b", "y")}{BpmnText.Flow("q", "j", "stay")}
            """ + BpmnText.Marks("a b z") + BpmnText.Flows("s>f a>q q>o b>j j>z z>e"), """{ "x": true, "y": true, "stay": false }""");

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
    public async Task Message_that_does_not_interrupt_comes_again_and_the_process_ends_with_the_last_token()
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
        Assert.NotEqual(TaskState.Open, Assert.Single((await run.Session.Engine.ListTasksAsync(new(), Cancel)).Items).State);
    }

    [Theory]
    [InlineData("E1", "a"), InlineData("E2", "b"), InlineData("E3", null)]
    public async Task Error_end_of_a_called_process_is_caught_by_its_code_where_it_is_called(string code, string? expected)
    {
        var called = $"""
            <process id="called" isExecutable="true"><startEvent id="s2" /><exclusiveGateway id="d" default="d_k" />{BpmnText.Flow("d", "h", "code = \"E1\"")}{BpmnText.Flow("d", "i", "code = \"E2\"")}
            <endEvent id="h"><errorEventDefinition errorRef="one" /></endEvent><endEvent id="i"><errorEventDefinition errorRef="two" /></endEvent>
            <endEvent id="k"><errorEventDefinition errorRef="three" /></endEvent>{BpmnText.Flows("s2>d d>k")}</process>
            """;
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><callActivity id="x" calledElement="called" />{BpmnText.Boundary("b1", "x", "<errorEventDefinition errorRef=\"one\" />")}
            {BpmnText.Boundary("b2", "x", "<errorEventDefinition errorRef=\"two\" />")}
            """ + BpmnText.Marks("z a b") + BpmnText.Flows("s>x x>z z>e b1>a b2>b a>e b>e"), $$"""{ "code": "{{code}}" }""",
            $"{BpmnText.Beside}<error id=\"three\" name=\"Third\" errorCode=\"E3\" />{called}");

        if (expected is null)
        {
            Assert.Equal(("E3", "Third"), ((await run.FailedAsync()).Code, (await run.FailedAsync()).Message.Split(": ")[^1]));
        }
        else
        {
            Assert.Equal(expected, await run.TraceAsync());
        }
    }

    [Fact]
    public async Task Error_of_an_activity_that_its_process_does_not_catch_is_caught_where_the_process_is_called()
    {
        var called = $"""
            <process id="called" isExecutable="true"><startEvent id="s2" /><scriptTask id="n"><script>id = id</script></scriptTask><serviceTask id="y" implementation="fail" />
            <endEvent id="e2" />{BpmnText.Flows("s2>n n>y y>e2")}</process>
            """;
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><callActivity id="x" calledElement="called" />{BpmnText.Boundary("b1", "x", "<errorEventDefinition errorRef=\"one\" />")}
            """ + BpmnText.Marks("z a") + BpmnText.Flows("s>x x>z z>e b1>a a>e"), """{ "id": "E1" }""", BpmnText.Beside + called);

        Assert.Equal("a", await run.TraceAsync());
    }

    [Theory]
    [InlineData("", "E1", "z"), InlineData("", null, "z")]
    [InlineData("camunda:asyncBefore=\"true\"", "E1", "zE1"), InlineData("camunda:asyncBefore=\"true\"", null, null)]
    public async Task Event_for_every_error_takes_no_failure_without_a_code_in_camunda(string dialect, string? code, string? expected)
    {
        var names = dialect.Length > 0 ? "camunda:errorCodeVariable=\"c\"" : "";
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="ok" /><serviceTask id="x" implementation="fail" {dialect} />{BpmnText.Boundary("b", "x", $"<errorEventDefinition {names} />")}
            """ + "<scriptTask id=\"z\"><script>t = if id = null then \"z\" else \"z\"</script></scriptTask>" + BpmnText.Flows("s>x x>ok b>z z>e"), code is null ? "{}" : $$"""{ "id": "{{code}}" }""", "<message id=\"k\" name=\"k\" />");

        if (expected is null)
        {
            Assert.Null((await run.FailedAsync()).Code);
            return;
        }

        var output = await run.OutputAsync();
        Assert.Equal(expected, $"{output["t"]}{output["c"]}");
    }

    [Fact]
    public async Task Message_start_starts_with_the_members_of_the_payload_and_any_of_several_messages_does()
    {
        await using var run = await BpmnRun.StartAsync("""
            <startEvent id="s"><messageEventDefinition messageRef="m" /><signalEventDefinition signalRef="g" /></startEvent><endEvent id="e" />
            """ + BpmnText.Marks("a") + BpmnText.Flows("s>a a>e"), start: false);
        foreach (var (signal, key) in new[] { ("paid", "k1"), ("alarm", "k2") })
        {
            await run.Session.SignalAsync(signal, key, """{ "t": "from " }""");
            await run.Session.IdleAsync();
            var started = (await run.Session.Engine.ListInstancesAsync(new() { CorrelationKey = key }, Cancel)).Items.Single();
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
    public async Task Sub_process_goes_on_once_after_its_last_token_and_links_and_implicit_ends_are_what_they_stand_for()
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
            """ + BpmnText.Marks("x d z") + BpmnText.Flows("s>a a>d x>m d>m m>z z>e"), $$"""{ "go": {{(x ? "true" : "false")}} }""");

        Assert.Equal(expected, await run.TraceAsync());
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
            await using var run = await BpmnRun.StartAsync($"""
                <startEvent id="s" /><endEvent id="e" />{task}<userTask id="u" />
                """ + "<exclusiveGateway id=\"g\" default=\"g_e\" />" + BpmnText.Flow("g", "u", "other = 0").Replace("= other = 0", "${other == 0}", StringComparison.Ordinal)
                + BpmnText.Flows("s>x x>g g>e u>e"), $$"""{ "start": 2, "gives": {{gives}}, "other": 1 }""", "<message id=\"k\" name=\"k\" />");

            var output = await run.OutputAsync();
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
            id = (await run.Session.Engine.ListInstancesAsync(new() { CorrelationKey = "key" }, Cancel)).Items.Single().Id;
        }

        Assert.Equal(expected, (await run.OutputAsync(id))["t"]!.ToString());
    }

    [Theory]
    [InlineData("s>a s1>b a>e b>e", "a b")]
    [InlineData("s>a s1>a a>e s>b b>e", "a b")]
    public void Starts_at_different_places_are_refused(string flows, string marks)
    {
        var findings = Findings(Process("""<startEvent id="s" /><endEvent id="e" />""" + $"""<startEvent id="s1">{Message("m")}</startEvent>""" + Marks(marks) + Flows(flows), BpmnText.Beside));

        Assert.Contains(findings, finding => finding.Id == "s1" && finding.Message.Contains("the same element", StringComparison.Ordinal));
    }
}

/// <summary>
/// Sub-processes and event sub-processes that an engine runs to their end. Each script task appends its letter to the variable <c>t</c>.
/// Most models are of Camunda 8; those of Camunda 7 and of the plain standard send signals to the instance, for want of a key.
/// </summary>
public sealed class BpmnScopeTests
{
    private const string Ends = """<startEvent id="s" /><endEvent id="e" />""";
    private const string User = """<userTask id="u" />""";
    private const string User7 = """<userTask id="u" camunda:assignee="ann" />""";
    private const string Beside = "cancelActivity=\"false\"";

    /// <summary>Nothing of a Camunda.</summary>
    private const string Plain = """
        <message id="m" name="paid" /><message id="n" name="note" /><signal id="g" name="alarm" /><error id="one" errorCode="E1" /><error id="two" errorCode="E2" />
        """;

    [Theory]
    [InlineData("task", "abz"), InlineData("paid", "m"), InlineData("note task", "nabz"), InlineData("note note paid", "nnm"), InlineData("", "l")]
    public async Task Events_at_the_border_of_a_sub_process_end_all_in_it_or_begin_beside_it(string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", User + Marks("a b"), "sub_s>u u>a a>b") + Boundary("b1", "sub", Message("m"))
            + Boundary("b2", "sub", Message("n"), Beside) + Boundary("b3", "sub", Timer("PT1H")) + """<endEvent id="o" />""" + Marks("m n l z")
            + Flows("s>sub sub>z z>e b1>m b2>n b3>l m>e n>o l>e"));
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
        Assert.Equal(0, await run.OpenTasksAsync());
        var history = await run.Session.HistoryAsync(run.Id);
        Assert.Contains("entered sub", history);
        Assert.Equal(happens.Contains("task", StringComparison.Ordinal), history.Contains("left sub"));
    }

    [Theory]
    [InlineData(User7, "@alarm @alarm task", "ggaz"), InlineData(User, "@alarm task", "gaz")]
    public async Task Signal_that_does_not_interrupt_a_sub_process_comes_again_and_again(string user, string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", user + Marks("a"), "sub_s>u u>a") + Boundary("b", "sub", Signal("g"), Beside)
            + Marks("g z") + Flows("s>sub sub>z z>e b>g"), "{}", Plain);
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Date_at_the_border_ends_a_sub_process_or_begins_once_beside_it(bool interrupts)
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", User + Marks("a"), "sub_s>u u>a")
            + Boundary("b", "sub", Until("= due"), interrupts ? "" : Beside) + Marks("l z") + Flows("s>sub sub>z z>e b>l"),
            """{ "due": "2001-01-01T00:00:00Z" }""");
        if (!interrupts)
        {
            await run.HappenAsync("task");
        }

        Assert.Equal(interrupts ? "l" : "laz", await run.TraceAsync());
    }

    [Theory]
    [InlineData(1, "x"), InlineData(2, "y"), InlineData(3, "abz")]
    public async Task Error_end_of_a_sub_process_is_caught_by_its_code_and_ends_what_else_runs_in_it(int way, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", $"""
            <exclusiveGateway id="d" default="d_a" />{Flow("d", "f1", "way = 1")}{Flow("d", "f2", "way = 2")}<parallelGateway id="f" /><userTask id="v" />
            <endEvent id="f1">{Error("one")}</endEvent><endEvent id="f2">{Error("two")}</endEvent><endEvent id="ok" />
            """ + Marks("a b"), "sub_s>f f>v f>d d>a a>b b>ok") + Boundary("b1", "sub", Error("one")) + Boundary("b2", "sub", Error("two")) + Marks("x y z")
            + Flows("s>sub sub>z z>e b1>x b2>y x>e y>e"), $$"""{ "way": {{way}} }""");
        if (way == 3)
        {
            await run.HappenAsync("task");
        }

        Assert.Equal(expected, await run.TraceAsync());
        Assert.Equal(0, await run.OpenTasksAsync());
    }

    [Theory]
    [InlineData("E1", "i"), InlineData("E2", "o"), InlineData("E3", null)]
    public async Task Error_of_an_activity_goes_outwards_to_the_first_sub_process_that_catches_its_code(string code, string? expected)
    {
        var inner = Sub("inner", """<serviceTask id="x" implementation="fail" />""", "inner_s>x") + Boundary("b1", "inner", Error("one")) + Marks("i");
        await using var run = await BpmnRun.StartAsync(Ends + Sub("outer", inner, "outer_s>inner b1>i") + Boundary("b2", "outer", Error("two"))
            + """<scriptTask id="n"><script>id = id</script></scriptTask>""" + Marks("o") + Flows("s>n n>outer outer>e b2>o o>e"), $$"""{ "id": "{{code}}" }""");

        if (expected is null)
        {
            Assert.Equal(code, (await run.FailedAsync()).Code);
            return;
        }

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Border_that_catches_every_error_of_a_sub_process_names_its_code_in_camunda_7()
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", $"""<endEvent id="f">{Error("two")}</endEvent>""", "sub_s>f")
            + Boundary("b", "sub", """<errorEventDefinition camunda:errorCodeVariable="c" />""") + Marks("x") + Flows("s>sub sub>e b>x x>e"), "{}", Plain);

        Assert.Equal(("x", "E2"), (await run.TraceAsync(), (await run.OutputAsync())["c"]!.ToString()));
    }

    [Fact]
    public async Task Border_without_a_code_catches_whatever_fails_in_a_sub_process_of_a_plain_file()
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", """<serviceTask id="x" implementation="fail" />""", "sub_s>x")
            + Boundary("b", "sub", Error()) + Marks("x1") + Flows("s>sub sub>e b>x1 x1>e"), "{}", Plain);

        Assert.Equal("x1", await run.TraceAsync());
    }

    [Fact]
    public async Task Terminate_in_a_sub_process_ends_that_only()
    {
        await using var run = await BpmnRun.StartAsync(Ends + """<parallelGateway id="f" /><parallelGateway id="j" /><userTask id="w" />"""
            + Sub("sub", """<parallelGateway id="k" /><userTask id="u" /><endEvent id="t"><terminateEventDefinition /></endEvent>""" + Marks("a"), "sub_s>k k>u k>a a>t")
            + Marks("y z") + Flows("s>f f>sub f>w sub>y y>j w>j j>z z>e"));
        Assert.Equal(1, await run.OpenTasksAsync());
        await run.HappenAsync("task");

        Assert.Equal("ayz", await run.TraceAsync());
    }

    [Fact]
    public async Task Sub_process_waits_for_what_an_event_began_beside_a_task_in_it()
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", User + Boundary("b", "u", Message("n"), Beside) + """<userTask id="v" />""" + Marks("a c"),
            "sub_s>u u>a b>v v>c") + Marks("z") + Flows("s>sub sub>z z>e"));
        await run.HappenAsync("note task");
        Assert.Equal(InstanceState.Waiting, (await run.Session.ViewAsync(run.Id)).State);
        await run.HappenAsync("task");

        Assert.EndsWith("z", await run.TraceAsync(), StringComparison.Ordinal);
        Assert.Equal("acz", string.Concat((await run.TraceAsync()).Order()));
    }

    [Fact]
    public async Task Sub_process_in_a_loop_is_entered_again_and_ends_by_each_of_its_ends()
    {
        await using var run = await BpmnRun.StartAsync(Ends + """<exclusiveGateway id="m1" /><exclusiveGateway id="g" default="g_z" />""" + Flow("g", "m1", "t != \"ab\"")
            + Sub("sub", $"""<exclusiveGateway id="d" default="d_b" />{Flow("d", "a", "t = null")}<endEvent id="e1" /><endEvent id="e2" />""" + Marks("a b"),
                "sub_s>d d>b a>e1 b>e2") + Marks("z") + Flows("s>m1 m1>sub sub>g g>z z>e"), "{}");

        Assert.Equal("abz", await run.TraceAsync());
        Assert.Equal(2, (await run.Session.HistoryAsync(run.Id)).Count(line => line == "entered sub"));
    }

    [Theory]
    [InlineData("task", "az"), InlineData("paid", "h"), InlineData("note task", "naz"), InlineData("note note paid", "nnh")]
    public async Task Event_sub_processes_of_a_process_interrupt_it_or_run_beside_it(string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + User + Handler("h1", Message("m"), Marks("h"), "h1_s>h")
            + Handler("h2", Message("n"), Marks("n"), "h2_s>n", interrupts: false) + Marks("a z") + Flows("s>u u>a a>z z>e"));
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
        Assert.Equal(0, await run.OpenTasksAsync());
    }

    [Fact]
    public async Task Event_sub_process_that_interrupts_ends_those_beside_too()
    {
        await using var run = await BpmnRun.StartAsync(Ends + User + Handler("h1", Message("m"), Marks("h"), "h1_s>h")
            + Handler("h2", Message("n"), """<userTask id="v" />""" + Marks("n"), "h2_s>v v>n", interrupts: false) + Flows("s>u u>e"));
        await run.HappenAsync("note note");
        Assert.Equal(3, await run.OpenTasksAsync());
        await run.HappenAsync("paid");

        Assert.Equal("h", await run.TraceAsync());
        Assert.Equal(0, await run.OpenTasksAsync());
    }

    [Fact]
    public async Task Process_waits_for_what_runs_beside_it_which_begins_again_meanwhile()
    {
        await using var run = await BpmnRun.StartAsync(Ends + User + Handler("h2", Message("n"), """<userTask id="v" />""" + Marks("n"), "h2_s>v v>n", interrupts: false)
            + Marks("z") + Flows("s>u u>z z>e"));
        await run.HappenAsync("note");
        await CompleteAsync(run, "u");
        Assert.Equal(InstanceState.Waiting, (await run.Session.ViewAsync(run.Id)).State);
        await run.HappenAsync("note task task");

        Assert.Equal("znn", await run.TraceAsync());
    }

    [Theory]
    [InlineData("@alarm", "h"), InlineData("task", "z")]
    public async Task Signal_begins_an_event_sub_process_of_a_plain_file(string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + User + Handler("h1", Signal("g"), Marks("h"), "h1_s>h") + Marks("z") + Flows("s>u u>z z>e"), "{}", Plain);
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Theory]
    [InlineData(true, false, "l"), InlineData(false, false, "lz"), InlineData(true, true, "l"), InlineData(false, true, "lz")]
    public async Task Time_begins_an_event_sub_process(bool interrupts, bool isDate, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + User7 + Handler("h1", isDate ? Until("${due}") : Timer("PT1H"), Marks("l"), "h1_s>l", interrupts)
            + Marks("z") + Flows("s>u u>z z>e"), """{ "due": "2001-01-01T00:00:00Z" }""", Plain);
        if (!isDate)
        {
            await run.HappenAsync("");
        }

        if (!interrupts)
        {
            await run.HappenAsync("task");
        }

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Theory]
    [InlineData("E1", "x"), InlineData("E2", "y"), InlineData("E3", null)]
    public async Task Error_begins_the_event_sub_process_of_its_code(string code, string? expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + """<serviceTask id="w" implementation="fail" /><scriptTask id="n"><script>id = id</script></scriptTask>"""
            + Handler("h1", Error("one"), Marks("x"), "h1_s>x") + Handler("h2", Error("two"), Marks("y"), "h2_s>y") + Flows("s>n n>w w>e"), $$"""{ "id": "{{code}}" }""");

        if (expected is null)
        {
            Assert.Equal(code, (await run.FailedAsync()).Code);
            return;
        }

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Event_sub_process_for_every_error_names_code_and_message_in_camunda_7()
    {
        await using var run = await BpmnRun.StartAsync($"""<startEvent id="s" /><endEvent id="f">{Error("two")}</endEvent>""" + Marks("a")
            + Handler("h1", """<errorEventDefinition camunda:errorCodeVariable="c" camunda:errorMessageVariable="why" />""", Marks("x"), "h1_s>x")
            + Flows("s>a a>f"), "{}", Plain.Replace("errorCode=\"E2\"", "name=\"Second\" errorCode=\"E2\"", StringComparison.Ordinal));

        var output = await run.OutputAsync();
        Assert.Equal(("ax", "E2"), (await run.TraceAsync(), output["c"]!.ToString()));
        Assert.Equal("Second", output["why"]!.ToString());
    }

    [Theory]
    [InlineData("errorCode=\"E9\" camunda:errorMessage=\"for ${who}\"", null, null)]
    [InlineData("errorCode=\"${who}\" camunda:errorMessage=\"${who}\"", "ann", "ann")]
    [InlineData("errorCode=\"E9\" camunda:errorMessage=\"too late\"", "E9", "too late")]
    public async Task Error_has_the_code_and_the_message_that_its_declaration_computes(string error, string? code, string? message)
    {
        var model = $"""<startEvent id="s" /><endEvent id="f">{Error("x")}</endEvent>""" + Marks("a")
            + Handler("h1", """<errorEventDefinition camunda:errorCodeVariable="c" camunda:errorMessageVariable="why" />""", Marks("b"), "h1_s>b") + Flows("s>a a>f");
        if (code is null)
        {
            Assert.Contains("with expressions inside", Assert.Single(Findings(Process(model, $"<error id=\"x\" {error} />"))).Message, StringComparison.Ordinal);
            return;
        }

        await using var run = await BpmnRun.StartAsync(model, """{ "who": "ann" }""", $"<error id=\"x\" {error} />");
        var output = await run.OutputAsync();
        Assert.Equal((code, message), (output["c"]!.ToString(), output["why"]!.ToString()));
    }

    [Fact]
    public void Code_that_is_computed_is_not_caught_by_it() => Assert.Contains("is an expression", Findings(Process(
        Ends + Sub("sub", User, "sub_s>u") + Boundary("b", "sub", Error("x")) + Flows("s>sub sub>e b>e"), "<error id=\"x\" errorCode=\"= code\" />"))[0].Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("task", "az"), InlineData("paid", "hz"), InlineData("note note task", "nnaz")]
    public async Task Event_sub_processes_in_a_sub_process_end_that_and_it_goes_on_behind(string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", User + Marks("a") + Handler("h1", Message("m"), Marks("h"), "h1_s>h")
            + Handler("h2", Message("n"), Marks("n"), "h2_s>n", interrupts: false), "sub_s>u u>a") + Marks("z") + Flows("s>sub sub>z z>e"));
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Error_in_an_event_sub_process_is_caught_at_the_border_of_what_it_is_in()
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", User + Handler("h1", Message("m"), $"""<endEvent id="f">{Error("one")}</endEvent>""", "h1_s>f"), "sub_s>u")
            + Boundary("b", "sub", Error("one")) + Marks("x z") + Flows("s>sub sub>z z>e b>x x>e"));
        await run.HappenAsync("paid");

        Assert.Equal("x", await run.TraceAsync());
    }

    [Fact]
    public async Task Terminate_ends_what_runs_beside_the_process_and_in_an_event_sub_process_only_that()
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e"><terminateEventDefinition /></endEvent>{User}
            """ + Handler("h2", Message("n"), """
            <parallelGateway id="k" /><userTask id="v" /><userTask id="w" /><endEvent id="t"><terminateEventDefinition /></endEvent>
            """ + Marks("n"), "h2_s>k k>v k>w v>n n>t", interrupts: false) + Marks("z") + Flows("s>u u>z z>e"));
        await run.HappenAsync("note note");
        Assert.Equal(5, await run.OpenTasksAsync());
        await CompleteAsync(run, "v");
        Assert.Equal(3, await run.OpenTasksAsync());
        await CompleteAsync(run, "u");

        Assert.Equal("nz", await run.TraceAsync());
        Assert.Equal(0, await run.OpenTasksAsync());
    }

    [Fact]
    public async Task Message_of_an_event_sub_process_brings_variables()
    {
        await using var run = await BpmnRun.StartAsync(Ends + User + Handler("h1", Message("m"), """<scriptTask id="h"><script>t = concat("got ", amount)</script></scriptTask>""", "h1_s>h")
            + Flows("s>u u>e"));
        await run.Session.SignalAsync("paid", "k", """{ "amount": "7" }""");

        Assert.Equal("got 7", await run.TraceAsync());
    }

    [Fact]
    public void Sub_process_is_a_step_and_what_it_leads_to_its_members()
    {
        var steps = Steps(Process(Ends + Sub("sub", User, "sub_s>u") + Boundary("b", "sub", Timer("PT1H")) + Boundary("c", "sub", Message("n"), Beside) + Marks("l")
            + Flows("s>sub sub>e b>l c>l"), BpmnText.Beside));

        Assert.True(JsonNode.DeepEquals(steps["sub"], JsonNode.Parse("""
            {"type":"subProcess","start":"u","boundary":[{"signal":"note","correlation":"= id","result":"c_payload","interrupting":false,"next":"c"}],
            "timeout":"PT1H","onTimeout":"l","next":"e"}
            """)), steps["sub"]!.ToJsonString());
        Leads(steps, "u", "u_2");
        Assert.Equal("""{"type":"end"}""", steps["u_end"]!.ToJsonString());
    }

    [Theory]
    [InlineData("""<subProcess id="x"><startEvent id="i"><messageEventDefinition messageRef="m" /></startEvent><endEvent id="j" /></subProcess>""", "i", "without a trigger")]
    [InlineData("""<subProcess id="x"><startEvent id="i" /><startEvent id="j" /></subProcess>""", "j", "has one start event")]
    [InlineData("""<subProcess id="x"><extensionElements><zeebe:ioMapping><zeebe:input source="= a" target="b" /></zeebe:ioMapping></extensionElements><startEvent id="i" /></subProcess>""", "x", "ioMapping")]
    [InlineData("""<subProcess id="x" triggeredByEvent="true"><startEvent id="i"><messageEventDefinition messageRef="m" /></startEvent></subProcess>""", "s_x", "event sub-process")]
    public void Sub_process_is_refused_with_a_reason(string element, string id, string advice)
    {
        var findings = Findings(Around(element, BpmnText.Beside));

        var finding = findings.First(one => one.Id == id && one.Message.Contains(advice, StringComparison.Ordinal));
        Assert.Equal(FirstLine + 2, finding.Line);
    }

    [Theory]
    [InlineData("<timerEventDefinition><timeCycle>R/PT1H</timeCycle></timerEventDefinition>", true, "happens once")]
    [InlineData("", true, "Give its start event one of these")]
    [InlineData("<errorEventDefinition />", false, "an error that interrupts")]
    [InlineData("<compensateEventDefinition />", true, "Compensation")]
    [InlineData("<conditionalEventDefinition />", true, "Conditional")]
    [InlineData("<escalationEventDefinition />", true, "Escalation")]
    [InlineData("<messageEventDefinition messageRef=\"m\" /><signalEventDefinition signalRef=\"g\" />", true, "several triggers")]
    public void Event_sub_process_is_refused_with_a_reason(string what, bool interrupts, string advice)
    {
        var findings = Findings(Process(Ends + User + Handler("h", what, "", "h_s>h_e", interrupts).Replace("</startEvent>", """</startEvent><endEvent id="h_e" />""", StringComparison.Ordinal)
            + Flows("s>u u>e"), BpmnText.Beside));

        Assert.Contains(findings, finding => finding.Message.Contains(advice, StringComparison.Ordinal));
        Assert.All(findings, finding => Assert.Equal("h_s", finding.Id));
    }

    [Fact]
    public void Error_in_one_event_sub_process_that_another_would_catch_is_refused_but_in_camunda_8()
    {
        var model = Ends + User + Handler("h1", Message("m"), """<serviceTask id="w" implementation="fail" />""", "h1_s>w") + Handler("h2", Error("one"), Marks("x"), "h2_s>x")
            + Flows("s>u u>e");

        Assert.Equal("h1", Assert.Single(Findings(Process(model, Plain))).Id);
        Assert.Single(Import(Process(model, BpmnText.Beside)));
    }

    [Fact]
    public void Link_catches_in_the_sub_process_in_which_it_throws_only()
    {
        var findings = Findings(Process(Ends + Sub("sub", """<intermediateThrowEvent id="l"><linkEventDefinition name="on" /></intermediateThrowEvent>""", "sub_s>l")
            + """<intermediateCatchEvent id="c"><linkEventDefinition name="on" /></intermediateCatchEvent>""" + Flows("s>sub sub>e c>e")));

        Assert.Contains(findings, finding => finding.Id == "l" && finding.Message.Contains("in the same subProcess", StringComparison.Ordinal));
    }

    private static async Task CompleteAsync(BpmnRun run, string step)
    {
        await run.Session.IdleAsync();
        var task = (await run.Session.Engine.ListTasksAsync(new(), Cancel)).Items
            .First(one => one.Step == step && one.State == global::Workflow.Contracts.Tasks.TaskState.Open);
        await run.Session.Engine.CompleteTaskAsync(new() { TaskId = task.Id }, Cancel);
        await run.Session.IdleAsync();
    }
}
