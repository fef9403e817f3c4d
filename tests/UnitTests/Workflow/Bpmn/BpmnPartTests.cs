namespace UnitTests.Workflow.Bpmn;

/// <summary>Parts of elements are skipped or refused by their meaning, whichever element contains them.</summary>
public sealed class BpmnPartTests
{
    private static readonly string[] Descriptions =
    [
        "<documentation>Why</documentation>", "<categoryValueRef>phase</categoryValueRef>", "<auditing />",
        "<monitoring />",
        "<property id=\"y\" name=\"sum\" />", "<extensionElements />",
    ];

    private static readonly string[] Artifacts =
    [
        "<textAnnotation id=\"y\"><text>Note</text></textAnnotation>",
        "<association id=\"y\" sourceRef=\"s\" targetRef=\"e\" />", "<group id=\"y\" />",
        "<dataObject id=\"y\" />", "<dataObjectReference id=\"y\" />", "<dataStoreReference id=\"y\" />",
        "<laneSet><lane id=\"y\" /></laneSet>",
    ];

    [Fact]
    public void Descriptions_change_nothing_in_any_element()
    {
        foreach (var description in Descriptions)
        {
            foreach (var where in new[] { "process", "subProcess", "userTask", "endEvent", "exclusiveGateway",
                "sequenceFlow", "timerEventDefinition", "message" })
            {
                Assert.True(BpmnText.Import(File(where, description)).Count == 1, $"{description} in {where}");
            }
        }
    }

    [Fact]
    public void Artifacts_change_nothing_in_a_process_or_sub_process()
    {
        foreach (var artifact in Artifacts)
        {
            foreach (var where in new[] { "process", "subProcess" })
            {
                Assert.True(BpmnText.Import(File(where, artifact)).Count == 1, $"{artifact} in {where}");
            }
        }
    }

    [Theory]
    [InlineData("process", "<ioSpecification />", "Data inputs and outputs"),
        InlineData("subProcess", "<ioSpecification />", "Data inputs and outputs")]
    [InlineData("userTask", "<ioSpecification />", "Data inputs and outputs"),
        InlineData("process", "<ioBinding />", "Bindings of data")]
    [InlineData("userTask", "<potentialOwner />", "Potential owners"),
        InlineData("process", "<resourceRole />", "Resource roles")]
    [InlineData("subProcess", "<performer />", "Performers"),
        InlineData("process", "<correlationSubscription />", "Correlation subscriptions")]
    [InlineData("subProcess", "<standardLoopCharacteristics />", "Loops of an activity"),
        InlineData("userTask", "<standardLoopCharacteristics />", "Loops of an activity")]
    [InlineData("userTask", "<multiInstanceLoopCharacteristics />", "one list, or one number")]
    [InlineData(
        "subProcess", "<dataInputAssociation><assignment /></dataInputAssociation>", "Data associations that compute")]
    [InlineData("userTask", "<dataOutputAssociation><transformation>a</transformation></dataOutputAssociation>",
        "Data associations that compute")]
    [InlineData("userTask", "<script>a = 1</script>", "'script' is not known as a part of 'userTask'"),
        InlineData("process", "<script>a = 1</script>", "'script' is not known as a part of 'process'")]
    [InlineData("userTask", "<frobnicate />", "'frobnicate' is not known as a part of 'userTask'"),
        InlineData("endEvent", "<userTask id=\"y\" />", "'userTask' is not known as a part of 'endEvent'")]
    [InlineData("sequenceFlow", "<timerEventDefinition />", "'timerEventDefinition' is not known as a part"),
        InlineData("subProcess", "<timerEventDefinition />", "'timerEventDefinition' is not known as a part")]
    [InlineData("timerEventDefinition", "<timeUntil>P1D</timeUntil>", "'timeUntil' is not known as a part"),
        InlineData("message", "<frobnicate />", "'frobnicate' is not known as a part")]
    [InlineData("process", "<frobnicate />", "Elements of kind 'frobnicate'"),
        InlineData("subProcess", "<frobnicate />", "Elements of kind 'frobnicate'")]
    [InlineData("process", "<businessRuleTask />", "Business-rule tasks"),
        InlineData("process", "<userTask />", "has no id")]
    [InlineData("userTask", "<camunda:connector />", "The extension 'connector'"),
        InlineData("process", "<camunda:executionListener />", "The extension 'executionListener'")]
    [InlineData("subProcess", "<o:retry xmlns:o=\"urn:other\" />", "The extension 'retry' of 'urn:other'"),
        InlineData("sequenceFlow", "<a xmlns=\"\" />", "no known dialect")]
    public void Part_that_may_mean_something_is_refused(string where, string part, string reason) =>
        Assert.Contains(reason, Assert.Single(BpmnText.Findings(File(where, part))).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("task", "<task id=\"x\" name=\"Think\" />", "Nothing is done in this task")]
    [InlineData("manualTask", "<manualTask id=\"x\" />", "Nothing is done in this manualTask")]
    [InlineData("scriptTask", "<scriptTask id=\"x\" />", "script is empty")]
    [InlineData("scriptTask", "<scriptTask id=\"x\"><script> \n </script></scriptTask>", "script is empty")]
    [InlineData("scriptTask", "<scriptTask id=\"x\" scriptFormat=\"javascript\"><script></script></scriptTask>",
        "script is empty")]
    [InlineData("scriptTask", "<scriptTask id=\"x\" scriptFormat=\"csharp\"><script>// later</script></scriptTask>",
        "script is empty")]
    [InlineData("manualTask", "<manualTask id=\"x\" camunda:asyncBefore=\"true\" />", "Nothing is done")]
    [InlineData(
        "task", "<task id=\"x\"><extensionElements><zeebe:properties /></extensionElements></task>", "Nothing is done")]
    public void Element_that_does_nothing_is_a_named_step(string kind, string element, string remark)
    {
        var xml = BpmnText.Around(element);

        var named = Assert.Single(Assert.Single(BpmnText.Import(xml)).Remarks);

        Assert.Equal((kind, "x", BpmnText.FirstLine), (named.Element, named.Id, named.Line));
        Assert.Contains(remark, named.Message, StringComparison.Ordinal);
        Assert.True(
            JsonNode.DeepEquals(JsonNode.Parse("""{"type":"set","values":{},"next":"e"}"""), BpmnText.Steps(xml)["x"]));
    }

    [Theory]
    [InlineData(
        "<scriptTask id=\"x\" scriptFormat=\"groovy\"><script>// later</script></scriptTask>", "Scripts in 'groovy'")]
    [InlineData("<scriptTask id=\"x\" camunda:resource=\"a.js\" />", "The attribute 'resource'")]
    [InlineData(
        "<scriptTask id=\"x\"><extensionElements><zeebe:taskDefinition type=\"run\" "
            + "/></extensionElements></scriptTask>",
        "The extension 'taskDefinition'")]
    [InlineData(
        "<scriptTask id=\"x\" scriptFormat=\"feel\" camunda:resultVariable=\"y\"><script></script></scriptTask>",
        "not imported")]
    [InlineData("<scriptTask id=\"x\" camunda:resultVariable=\"y\" />", "no script that gives the result 'y'")]
    [InlineData("<scriptTask id=\"x\"><script><o:code xmlns:o=\"urn:other\">a = 1</o:code></script></scriptTask>",
        "The extension 'code'")]
    [InlineData("<task id=\"x\"><standardLoopCharacteristics /></task>", "Loops of an activity")]
    [InlineData("<task id=\"x\" isForCompensation=\"true\" />", "Compensation")]
    [InlineData("<task id=\"x\" camunda:class=\"com.acme.Pay\" />", "The attribute 'class'")]
    public void Part_with_a_possible_effect_is_not_an_empty_step(string element, string reason) =>
        Assert.Contains(reason, BpmnText.Findings(BpmnText.Around(element))[0].Message, StringComparison.Ordinal);

    [Fact]
    public async Task Process_of_tasks_that_do_nothing_runs_to_its_end()
    {
        await using var run = await BpmnRun.StartAsync(
            """<startEvent id="s" /><task id="x" /><scriptTask id="y" /><endEvent id="e" />""" + BpmnText.Marks("z")
                + BpmnText.Flows("s>x x>y y>z z>e"));

        Assert.Equal("z", await run.TraceAsync());
    }

    /// <summary>A process that has this within one of its elements.</summary>
    private static string File(string where, string part)
    {
        string In(string element) => element == where ? part : "";
        return BpmnText.Process($"""
            {In("process")}<startEvent id="s" /><userTask id="u">{In("userTask")}</userTask>
            <subProcess id="sub">{In("subProcess")}<startEvent id="s1" /><endEvent id="e1" />{BpmnText.Flows("s1>e1")}</subProcess>
            <exclusiveGateway id="g">{In("exclusiveGateway")}</exclusiveGateway><receiveTask id="r" messageRef="m" />
            <intermediateCatchEvent id="c"><timerEventDefinition>{In("timerEventDefinition")}<timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>
            <endEvent id="e">{In("endEvent")}</endEvent><sequenceFlow id="f" sourceRef="s" targetRef="u">{In("sequenceFlow")}</sequenceFlow>
            """ + BpmnText.Flows(
                "u>sub sub>g g>r r>c c>e"), $"<message id=\"m\" name=\"paid\">{In("message")}</message>");
    }
}
