using static UnitTests.Workflow.Bpmn.BpmnText;

namespace UnitTests.Workflow.Bpmn;

/// <summary>
/// Sub-processes and event sub-processes that an engine runs to their end. Each script task appends its letter to the
/// variable <c>t</c>.
/// Most models are of Camunda 8; those of Camunda 7 and of the plain standard send signals to the instance, for want of
/// a key.
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
    [InlineData("task", "abz"), InlineData("paid", "m"), InlineData("note task", "nabz"),
        InlineData("note note paid", "nnm"), InlineData("", "l")]
    public async Task Boundary_event_of_a_sub_process_interrupts_it_or_not(string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + Sub("sub", User + Marks("a b"), "sub_s>u u>a a>b") + Boundary("b1", "sub", Message("m"))
            + Boundary("b2", "sub", Message("n"), Beside) + Boundary("b3", "sub", Timer("PT1H"))
            + """<endEvent id="o" />""" + Marks("m n l z")
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
    public async Task Non_interrupting_signal_of_a_sub_process_repeats(string user, string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + Sub("sub", user + Marks("a"), "sub_s>u u>a") + Boundary("b", "sub", Signal("g"), Beside)
            + Marks("g z") + Flows("s>sub sub>z z>e b>g"), "{}", Plain);
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Boundary_date_of_a_sub_process_occurs_once(bool interrupts)
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", User + Marks("a"), "sub_s>u u>a")
            + Boundary("b", "sub", Until("= due"), interrupts ? "" : Beside) + Marks("l z")
            + Flows("s>sub sub>z z>e b>l"),
            """{ "due": "2001-01-01T00:00:00Z" }""");
        if (!interrupts)
        {
            await run.HappenAsync("task");
        }

        Assert.Equal(interrupts ? "l" : "laz", await run.TraceAsync());
    }

    [Theory]
    [InlineData(1, "x"), InlineData(2, "y"), InlineData(3, "abz")]
    public async Task Error_end_of_a_sub_process_is_caught_by_its_code(int way, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + Sub("sub", $"""
            <exclusiveGateway id="d" default="d_a" />{Flow("d", "f1", "way = 1")}{Flow("d", "f2", "way = 2")}<parallelGateway id="f" /><userTask id="v" />
            <endEvent id="f1">{Error("one")}</endEvent><endEvent id="f2">{Error("two")}</endEvent><endEvent id="ok" />
            """ + Marks("a b"), "sub_s>f f>v f>d d>a a>b b>ok") + Boundary("b1", "sub", Error("one"))
            + Boundary("b2", "sub", Error("two")) + Marks("x y z")
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
    public async Task Activity_error_reaches_the_innermost_catching_sub_process(string code, string? expected)
    {
        var inner = Sub("inner", """<serviceTask id="x" implementation="fail" />""", "inner_s>x")
            + Boundary("b1", "inner", Error("one")) + Marks("i");
        await using var run = await BpmnRun.StartAsync(
            Ends + Sub("outer", inner, "outer_s>inner b1>i") + Boundary("b2", "outer", Error("two"))
            + """<scriptTask id="n"><script>id = id</script></scriptTask>""" + Marks("o")
            + Flows("s>n n>outer outer>e b2>o o>e"), $$"""{ "id": "{{code}}" }""");

        if (expected is null)
        {
            Assert.Equal(code, (await run.FailedAsync()).Code);
            return;
        }

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Boundary_for_every_error_names_its_code_in_camunda_7()
    {
        await using var run =
            await BpmnRun.StartAsync(Ends + Sub("sub", $"""<endEvent id="f">{Error("two")}</endEvent>""", "sub_s>f")
            + Boundary("b", "sub", """<errorEventDefinition camunda:errorCodeVariable="c" />""") + Marks("x")
            + Flows("s>sub sub>e b>x x>e"), "{}", Plain);

        Assert.Equal(("x", "E2"), (await run.TraceAsync(), (await run.OutputAsync())["c"]!.ToString()));
    }

    [Fact]
    public async Task Boundary_without_a_code_catches_every_failure()
    {
        await using var run =
            await BpmnRun.StartAsync(Ends + Sub("sub", """<serviceTask id="x" implementation="fail" />""", "sub_s>x")
            + Boundary("b", "sub", Error()) + Marks("x1") + Flows("s>sub sub>e b>x1 x1>e"), "{}", Plain);

        Assert.Equal("x1", await run.TraceAsync());
    }

    [Fact]
    public async Task Terminate_in_a_sub_process_ends_that_only()
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + """<parallelGateway id="f" /><parallelGateway id="j" /><userTask id="w" />"""
            + Sub("sub",
                """<parallelGateway id="k" /><userTask id="u" /><endEvent id="t"><terminateEventDefinition /></endEvent>""" + Marks("a"), "sub_s>k k>u k>a a>t")
            + Marks("y z") + Flows("s>f f>sub f>w sub>y y>j w>j j>z z>e"));
        Assert.Equal(1, await run.OpenTasksAsync());
        await run.HappenAsync("task");

        Assert.Equal("ayz", await run.TraceAsync());
    }

    [Fact]
    public async Task Sub_process_waits_for_tokens_of_non_interrupting_events()
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + Sub(
                "sub", User + Boundary("b", "u", Message("n"), Beside) + """<userTask id="v" />""" + Marks("a c"),
            "sub_s>u u>a b>v v>c") + Marks("z") + Flows("s>sub sub>z z>e"));
        await run.HappenAsync("note task");
        Assert.Equal(InstanceState.Waiting, (await run.Session.ViewAsync(run.Id)).State);
        await run.HappenAsync("task");

        Assert.EndsWith("z", await run.TraceAsync(), StringComparison.Ordinal);
        Assert.Equal("acz", string.Concat((await run.TraceAsync()).Order()));
    }

    [Fact]
    public async Task Sub_process_in_a_loop_is_entered_again()
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + """<exclusiveGateway id="m1" /><exclusiveGateway id="g" default="g_z" />"""
                + Flow("g", "m1", "t != \"ab\"")
            + Sub("sub", $"""<exclusiveGateway id="d" default="d_b" />{Flow("d", "a", "t = null")}<endEvent id="e1" /><endEvent id="e2" />""" + Marks("a b"),
                "sub_s>d d>b a>e1 b>e2") + Marks("z") + Flows("s>m1 m1>sub sub>g g>z z>e"), "{}");

        Assert.Equal("abz", await run.TraceAsync());
        Assert.Equal(2, (await run.Session.HistoryAsync(run.Id)).Count(line => line == "entered sub"));
    }

    [Theory]
    [InlineData("task", "az"), InlineData("paid", "h"), InlineData("note task", "naz"),
        InlineData("note note paid", "nnh")]
    public async Task Event_sub_process_interrupts_its_process_or_not(string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(Ends + User + Handler("h1", Message("m"), Marks("h"), "h1_s>h")
            + Handler("h2", Message("n"), Marks("n"), "h2_s>n", interrupts: false) + Marks("a z")
            + Flows("s>u u>a a>z z>e"));
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
        Assert.Equal(0, await run.OpenTasksAsync());
    }

    [Fact]
    public async Task Event_sub_process_that_interrupts_ends_those_beside_too()
    {
        await using var run = await BpmnRun.StartAsync(Ends + User + Handler("h1", Message("m"), Marks("h"), "h1_s>h")
            + Handler("h2", Message("n"), """<userTask id="v" />""" + Marks("n"), "h2_s>v v>n", interrupts: false)
            + Flows("s>u u>e"));
        await run.HappenAsync("note note");
        Assert.Equal(3, await run.OpenTasksAsync());
        await run.HappenAsync("paid");

        Assert.Equal("h", await run.TraceAsync());
        Assert.Equal(0, await run.OpenTasksAsync());
    }

    [Fact]
    public async Task Process_waits_for_its_repeated_event_sub_process()
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + User
                + Handler("h2", Message("n"), """<userTask id="v" />""" + Marks("n"), "h2_s>v v>n", interrupts: false)
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
        await using var run = await BpmnRun.StartAsync(
            Ends + User + Handler("h1", Signal("g"), Marks("h"), "h1_s>h") + Marks("z") + Flows("s>u u>z z>e"), "{}",
            Plain);
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Theory]
    [InlineData(true, false, "l"), InlineData(false, false, "lz"), InlineData(true, true, "l"),
        InlineData(false, true, "lz")]
    public async Task Time_begins_an_event_sub_process(bool interrupts, bool isDate, string expected)
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + User7 + Handler("h1", isDate ? Until("${due}") : Timer("PT1H"), Marks("l"), "h1_s>l", interrupts)
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
        await using var run = await BpmnRun.StartAsync(
            Ends + """<serviceTask id="w" implementation="fail" /><scriptTask id="n"><script>id = id</script></scriptTask>"""
            + Handler("h1", Error("one"), Marks("x"), "h1_s>x") + Handler("h2", Error("two"), Marks("y"), "h2_s>y")
            + Flows("s>n n>w w>e"), $$"""{ "id": "{{code}}" }""");

        if (expected is null)
        {
            Assert.Equal(code, (await run.FailedAsync()).Code);
            return;
        }

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Event_sub_process_of_camunda_7_names_code_and_message()
    {
        await using var run =
            await BpmnRun.StartAsync($"""<startEvent id="s" /><endEvent id="f">{Error("two")}</endEvent>""" + Marks("a")
            + Handler(
                "h1", """<errorEventDefinition camunda:errorCodeVariable="c" camunda:errorMessageVariable="why" />""",
                Marks("x"), "h1_s>x")
            + Flows("s>a a>f"), "{}",
            Plain.Replace("errorCode=\"E2\"", "name=\"Second\" errorCode=\"E2\"", StringComparison.Ordinal));

        var output = await run.OutputAsync();
        Assert.Equal(("ax", "E2"), (await run.TraceAsync(), output["c"]!.ToString()));
        Assert.Equal("Second", output["why"]!.ToString());
    }

    [Theory]
    [InlineData("errorCode=\"E9\" camunda:errorMessage=\"for ${who}\"", null, null)]
    [InlineData("errorCode=\"${who}\" camunda:errorMessage=\"${who}\"", "ann", "ann")]
    [InlineData("errorCode=\"E9\" camunda:errorMessage=\"too late\"", "E9", "too late")]
    public async Task Error_has_its_computed_code_and_message(string error, string? code, string? message)
    {
        var model = $"""<startEvent id="s" /><endEvent id="f">{Error("x")}</endEvent>""" + Marks("a")
            + Handler(
                "h1", """<errorEventDefinition camunda:errorCodeVariable="c" camunda:errorMessageVariable="why" />""",
                Marks("b"), "h1_s>b") + Flows("s>a a>f");
        if (code is null)
        {
            Assert.Contains(
                "with expressions inside",
                Assert.Single(Findings(Process(model, $"<error id=\"x\" {error} />"))).Message,
                StringComparison.Ordinal);
            return;
        }

        await using var run = await BpmnRun.StartAsync(model, """{ "who": "ann" }""", $"<error id=\"x\" {error} />");
        var output = await run.OutputAsync();
        Assert.Equal((code, message), (output["c"]!.ToString(), output["why"]!.ToString()));
    }

    [Fact]
    public void Code_that_is_computed_is_not_caught_by_it() => Assert.Contains("is an expression", Findings(Process(
        Ends + Sub("sub", User, "sub_s>u") + Boundary("b", "sub", Error("x")) + Flows("s>sub sub>e b>e"),
        "<error id=\"x\" errorCode=\"= code\" />"))[0].Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("task", "az"), InlineData("paid", "hz"), InlineData("note note task", "nnaz")]
    public async Task Event_sub_process_ends_its_sub_process(string happens, string expected)
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + Sub("sub", User + Marks("a") + Handler("h1", Message("m"), Marks("h"), "h1_s>h")
            + Handler("h2", Message("n"), Marks("n"), "h2_s>n", interrupts: false), "sub_s>u u>a") + Marks("z")
            + Flows("s>sub sub>z z>e"));
        await run.HappenAsync(happens);

        Assert.Equal(expected, await run.TraceAsync());
    }

    [Fact]
    public async Task Error_in_an_event_sub_process_is_caught_outside()
    {
        await using var run = await BpmnRun.StartAsync(
            Ends + Sub(
                "sub", User + Handler("h1", Message("m"), $"""<endEvent id="f">{Error("one")}</endEvent>""", "h1_s>f"),
                "sub_s>u")
            + Boundary("b", "sub", Error("one")) + Marks("x z") + Flows("s>sub sub>z z>e b>x x>e"));
        await run.HappenAsync("paid");

        Assert.Equal("x", await run.TraceAsync());
    }

    [Fact]
    public async Task Terminate_in_an_event_sub_process_ends_only_that()
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
        await using var run = await BpmnRun.StartAsync(
            Ends + User
                + Handler("h1", Message("m"),
                    """<scriptTask id="h"><script>t = concat("got ", amount)</script></scriptTask>""", "h1_s>h")
            + Flows("s>u u>e"));
        await run.Session.SignalAsync("paid", "k", """{ "amount": "7" }""");

        Assert.Equal("got 7", await run.TraceAsync());
    }

    [Fact]
    public void Sub_process_is_a_step_and_what_it_leads_to_its_members()
    {
        var steps = Steps(
            Process(Ends + Sub("sub", User, "sub_s>u") + Boundary("b", "sub", Timer("PT1H"))
                + Boundary("c", "sub", Message("n"), Beside) + Marks("l")
            + Flows("s>sub sub>e b>l c>l"), BpmnText.Beside));

        Assert.True(JsonNode.DeepEquals(steps["sub"], JsonNode.Parse("""
            {"type":"subProcess","start":"u","boundary":[{"signal":"note","correlation":"= id","result":"c_payload","interrupting":false,"next":"c"}],
            "timeout":"PT1H","onTimeout":"l","next":"e"}
            """)), steps["sub"]!.ToJsonString());
        Leads(steps, "u", "u_2");
        Assert.Equal("""{"type":"end"}""", steps["u_end"]!.ToJsonString());
    }

    [Theory]
    [InlineData(
        """<subProcess id="x"><startEvent id="i"><messageEventDefinition messageRef="m" /></startEvent><endEvent id="j" /></subProcess>""", "i", "without a trigger")]
    [InlineData(
        """<subProcess id="x"><startEvent id="i" /><startEvent id="j" /></subProcess>""", "j", "has one start event")]
    [InlineData(
        """<subProcess id="x"><extensionElements><zeebe:ioMapping><zeebe:input source="= a" target="b" /></zeebe:ioMapping></extensionElements><startEvent id="i" /></subProcess>""", "x", "ioMapping")]
    [InlineData(
        """<subProcess id="x" triggeredByEvent="true"><startEvent id="i"><messageEventDefinition messageRef="m" /></startEvent></subProcess>""", "s_x", "event sub-process")]
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
    [InlineData("<messageEventDefinition messageRef=\"m\" /><signalEventDefinition signalRef=\"g\" />", true,
        "several triggers")]
    public void Event_sub_process_is_refused_with_a_reason(string what, bool interrupts, string advice)
    {
        var findings = Findings(
            Process(Ends + User
                + Handler("h", what, "", "h_s>h_e", interrupts)
                    .Replace("</startEvent>", """</startEvent><endEvent id="h_e" />""", StringComparison.Ordinal)
            + Flows("s>u u>e"), BpmnText.Beside));

        Assert.Contains(findings, finding => finding.Message.Contains(advice, StringComparison.Ordinal));
        Assert.All(findings, finding => Assert.Equal("h_s", finding.Id));
    }

    [Fact]
    public void Error_caught_by_another_event_sub_process_is_refused()
    {
        var model = Ends + User
            + Handler("h1", Message("m"), """<serviceTask id="w" implementation="fail" />""", "h1_s>w")
            + Handler("h2", Error("one"), Marks("x"), "h2_s>x")
            + Flows("s>u u>e");

        Assert.Equal("h1", Assert.Single(Findings(Process(model, Plain))).Id);
        Assert.Single(Import(Process(model, BpmnText.Beside)));
    }

    [Fact]
    public void Link_catches_in_the_sub_process_in_which_it_throws_only()
    {
        var findings = Findings(
            Process(Ends
                + Sub("sub",
                    """<intermediateThrowEvent id="l"><linkEventDefinition name="on" /></intermediateThrowEvent>""",
                    "sub_s>l")
            + """<intermediateCatchEvent id="c"><linkEventDefinition name="on" /></intermediateCatchEvent>"""
            + Flows("s>sub sub>e c>e")));

        Assert.Contains(
            findings,
            finding =>
                finding.Id == "l" && finding.Message.Contains("in the same subProcess", StringComparison.Ordinal));
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
