namespace UnitTests.Workflow.Bpmn;

/// <summary>Parallel branches and sub-processes.</summary>
public sealed class BpmnBranchTests
{
    [Fact]
    public void Fork_and_join_nest()
    {
        var steps = Graph("a b c d", "f1 f2 j1 j2", "s>f1 f1>a f1>f2 f2>b f2>c b>j2 c>j2 j2>d d>j1 a>j1 j1>e");

        BpmnText.Leads(steps, "f1", "a f2 j1");
        BpmnText.Leads(steps, "f2", "b c j2");
        BpmnText.Leads(steps, "d", "j1");
        BpmnText.Leads(steps, "j1", "e");
    }

    [Fact]
    public void Branches_that_meet_in_pairs_before_all_meet_fork_inside()
    {
        var steps = Graph("a b c d", "f j1 j2 j", "s>f f>a f>b f>c f>d a>j1 b>j1 c>j2 d>j2 j1>j j2>j j>e");

        BpmnText.Leads(steps, "f", "f_part f_part_ j");
        BpmnText.Leads(steps, "f_part", "a b j1");
        BpmnText.Leads(steps, "f_part_", "c d j2");
        BpmnText.Leads(steps, "j2", "j");
        BpmnText.Leads(steps, "j", "e");
    }

    [Fact]
    public void Process_ends_with_its_last_branch()
    {
        var steps = Graph("a b", "f", "s>f f>a f>b a>e b>x", "<endEvent id=\"x\" />");

        BpmnText.Leads(steps, "f", "a b f_join");
        BpmnText.Leads(steps, "a", "f_join");
        BpmnText.Leads(steps, "b", "f_join");
        BpmnText.Leads(steps, "f_join", "f_end");
    }

    [Fact]
    public void Join_of_some_branches_does_not_wait_for_the_others()
    {
        var steps = Graph("a b c d", "f j", "s>f f>a f>b f>c a>j b>j j>d d>e c>x", "<endEvent id=\"x\" />");

        BpmnText.Leads(steps, "f", "c f_part f_join");
        BpmnText.Leads(steps, "f_part", "a b j");
        BpmnText.Leads(steps, "j", "d");
        BpmnText.Leads(steps, "d", "f_join");
        BpmnText.Leads(steps, "c", "f_join");
    }

    [Fact]
    public void What_follows_branches_that_nothing_joins_runs_once_for_each()
    {
        var steps = Graph("a b c", "f", "s>f f>a f>b a>c b>c c>e");

        BpmnText.Leads(steps, "f", "a b f_join");
        BpmnText.Leads(steps, "b", "c");
        BpmnText.Leads(steps, "c", "f_join");
    }

    [Fact]
    public void Several_flows_out_of_a_task_are_branches()
    {
        var steps = BpmnText.Steps(
            BpmnText.Process(
                """<startEvent id="s" /><endEvent id="e" /><sequenceFlow id="again" sourceRef="a" targetRef="b" />"""
            + BpmnText.Tasks("a b") + BpmnText.Flows("s>a a>b b>e")));

        BpmnText.Leads(steps, "a", "a_split");
        BpmnText.Leads(steps, "a_split", "b a_split_branch a_split_join");
        BpmnText.Leads(steps, "a_split_branch", "b");
    }

    [Fact]
    public void Inclusive_gateways_take_and_join_the_branches_that_are_true()
    {
        var steps = BpmnText.Steps(BpmnText.Process("""
            <startEvent id="s" /><endEvent id="e" /><inclusiveGateway id="f" default="f_c" /><inclusiveGateway id="j" />
            <sequenceFlow id="1" sourceRef="f" targetRef="a"><conditionExpression>= x</conditionExpression></sequenceFlow>
            <sequenceFlow id="2" sourceRef="f" targetRef="b"><conditionExpression>= y</conditionExpression></sequenceFlow>
            """ + BpmnText.Tasks("a b c") + BpmnText.Flows("s>f f>c a>j b>j c>j j>e")));

        Assert.Equal("inclusive", steps["f"]!["type"]!.ToString());
        BpmnText.Leads(steps, "f", "a b j c");
        BpmnText.Leads(steps, "j", "e");
    }

    [Fact]
    public void Parallel_join_of_an_inclusive_split_is_refused()
    {
        var findings = BpmnText.Findings(BpmnText.Process("""
            <startEvent id="s" /><endEvent id="e" /><inclusiveGateway id="f" default="f_b" /><parallelGateway id="j" />
            <sequenceFlow id="1" sourceRef="f" targetRef="a"><conditionExpression>= x</conditionExpression></sequenceFlow>
            """ + BpmnText.Tasks("a b") + BpmnText.Flows("s>f f>b a>j b>j j>e")));

        Assert.Contains(findings,
            finding => finding.Id == "j" && finding.Message.Contains("wait for ever", StringComparison.Ordinal));
    }

    [Fact]
    public void Conditions_on_flows_out_of_a_task_each_take_theirs()
    {
        var steps = BpmnText.Steps(BpmnText.Process("""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="d" />
            <sequenceFlow id="1" sourceRef="a" targetRef="b"><conditionExpression>= x</conditionExpression></sequenceFlow>
            """ + BpmnText.Tasks("a b c") + BpmnText.Flows("s>a a>c b>e c>d")));

        BpmnText.Leads(steps, "a", "a_choice");
        BpmnText.Leads(steps, "a_choice", "b c a_choice_join a_choice_none");
        Assert.Equal("= true", steps["a_choice"]!["cases"]![1]!["when"]!.ToString());
    }

    [Fact]
    public void Non_interrupting_boundary_event_before_a_join_is_refused()
    {
        const string Boundary =
            """<boundaryEvent id="n" attachedToRef="u" cancelActivity="false"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></boundaryEvent>""";
        var findings =
            BpmnText.Findings(GraphXml("a", "f j", "s>f f>a f>u a>j u>j j>e n>a", Boundary + "<userTask id=\"u\" />"));

        Assert.Contains(findings, finding => finding.Message.Contains("does not interrupt", StringComparison.Ordinal)
            || finding.Message.Contains("wait for ever", StringComparison.Ordinal));
    }

    [Fact]
    public void Loop_around_a_fork_and_its_join_stays_a_loop()
    {
        var steps = BpmnText.Steps(BpmnText.Process("""
            <startEvent id="s" /><endEvent id="e" /><exclusiveGateway id="g" default="g_e" /><exclusiveGateway id="m" />
            <parallelGateway id="f" /><parallelGateway id="j" />
            <sequenceFlow id="back" sourceRef="g" targetRef="m"><conditionExpression>= again</conditionExpression></sequenceFlow>
            """ + BpmnText.Tasks("a b") + BpmnText.Flows("s>m m>f f>a f>b a>j b>j j>g g>e")));

        BpmnText.Leads(steps, "f", "a b j");
        BpmnText.Leads(steps, "g", "f e");
    }

    [Fact]
    public void Sub_process_is_left_once_its_last_branch_has_ended()
    {
        var steps = BpmnText.Steps(BpmnText.Process($"""
            <startEvent id="s" /><endEvent id="e" />
            <subProcess id="sub"><startEvent id="s2" /><parallelGateway id="f" />{BpmnText.Tasks("a b")}<endEvent id="e2" /><endEvent id="e3" />
            {BpmnText.Flows("s2>f f>a f>b a>e2 b>e3")}</subProcess>
            """ + BpmnText.Tasks("z") + BpmnText.Flows("s>sub sub>z z>e")));

        BpmnText.Leads(steps, "sub", "z");
        Assert.Equal("f", steps["sub"]!["start"]!.ToString());
        BpmnText.Leads(steps, "f", "a b f_join");
        BpmnText.Leads(steps, "a", "f_join");
        BpmnText.Leads(steps, "f_join", "f_end");
    }

    [Theory]
    [InlineData("a b c", "f j", "s>f f>a f>b a>j a>c c>j b>j j>e")] // a branch arrives twice
    [InlineData("a b", "f1 f2 j", "s>f1 f1>f2 f1>b f2>a f2>j a>j b>j j>e")] // branches of two splits
    [InlineData("a b c", "f1 f2 j1 j2", "s>f1 f1>a f1>f2 f2>b f2>c a>j1 b>j1 c>j2 j1>j2 j2>e")] // crosswise
    public void Join_of_what_are_not_the_branches_of_one_split_is_refused(string tasks, string gateways, string flows)
    {
        var findings = BpmnText.Findings(GraphXml(tasks, gateways, flows));

        Assert.Contains(
            findings,
            finding =>
                finding.Id!.StartsWith('j') && finding.Message.Contains("wait for ever", StringComparison.Ordinal));
    }

    [Fact]
    public void Branch_that_may_end_before_its_join_is_refused()
    {
        var findings = BpmnText.Findings(BpmnText.Process("""
            <startEvent id="s" /><endEvent id="e" /><endEvent id="x" /><exclusiveGateway id="g" default="g_x" />
            <parallelGateway id="f" /><parallelGateway id="j" />
            <sequenceFlow id="on" sourceRef="g" targetRef="j"><conditionExpression>= ok</conditionExpression></sequenceFlow>
            """ + BpmnText.Tasks("a b") + BpmnText.Flows("s>f f>a f>b a>g b>j g>x j>e")));

        Assert.Contains(findings,
            finding => finding.Id == "j" && finding.Message.Contains("wait for ever", StringComparison.Ordinal));
    }

    [Fact]
    public void Branch_that_leads_back_to_its_split_is_refused()
    {
        var findings = BpmnText.Findings(GraphXml("a b m", "f", "s>m m>f f>a f>b a>m b>e"));

        Assert.Contains(
            findings, finding => finding.Id == "f" && finding.Message.Contains("multiply", StringComparison.Ordinal));
    }

    [Fact]
    public void Unreachable_element_and_empty_loop_are_refused()
    {
        var lonely = BpmnText.Findings(BpmnText.Process(
            """<startEvent id="s" /><endEvent id="e" />""" + BpmnText.Tasks("a b") + BpmnText.Flows("s>a a>e b>e")));
        var circle = BpmnText.Findings(BpmnText.Process(
            """<startEvent id="s" /><exclusiveGateway id="a" /><exclusiveGateway id="b" />"""
                + BpmnText.Flows("s>a a>b b>a")));

        Assert.Equal("b", Assert.Single(lonely).Id);
        Assert.Contains("circle", Assert.Single(circle).Message, StringComparison.Ordinal);
    }

    private static JsonObject Graph(string tasks, string gateways, string flows, string more = "") =>
        BpmnText.Steps(GraphXml(tasks, gateways, flows, more));

    private static string GraphXml(string tasks, string gateways, string flows, string more = "") => BpmnText.Process(
        """<startEvent id="s" /><endEvent id="e" />""" + more + BpmnText.Tasks(tasks)
        + string.Concat(gateways.Split(' ').Select(id => $"<parallelGateway id=\"{id}\" />")) + BpmnText.Flows(flows));
}
