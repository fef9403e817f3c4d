using Workflow.Bpmn;

namespace UnitTests.Workflow.Bpmn;

/// <summary>
/// Additions of other products to a file are skipped and listed on request, unless they may change what runs.
/// </summary>
public sealed class BpmnForeignTests
{
    private const string Prefixes =
        """xmlns:v="urn:vendor" xmlns:activiti="http://activiti.org/bpmn" xmlns:flowable="http://flowable.org/bpmn" xmlns:design="http://flowable.org/design" xmlns:drools="http://www.jboss.org/drools" """;

    [Theory]
    [InlineData("v:color=\"red\"", "", "attribute 'color' of 'urn:vendor'")]
    [InlineData("v:description=\"A script for people\"", "", "attribute 'description' of 'urn:vendor'")]
    [InlineData("activiti:async=\"true\"", "", "attribute 'async' of 'http://activiti.org/bpmn'")]
    [InlineData(
        "flowable:formFieldValidation=\"true\"", "", "attribute 'formFieldValidation' of 'http://flowable.org/bpmn'")]
    [InlineData("", "<extensionElements><v:nodeData guid=\"1\"><v:size w=\"3\" /></v:nodeData></extensionElements>",
        "extension 'nodeData' of 'urn:vendor'")]
    [InlineData("", "<extensionElements><design:skipexpression /></extensionElements>",
        "extension 'skipexpression' of 'http://flowable.org/design'")]
    [InlineData("", "<extensionElements><modelRef /></extensionElements>", "extension 'modelRef' of ''")]
    [InlineData("", "<v:note>Call them first</v:note>", "extension 'note' of 'urn:vendor'")]
    public void Part_that_changes_nothing_is_skipped_and_listed(string attribute, string inside, string passed)
    {
        var xml = Around($"<userTask id=\"x\" name=\"Approve\" {attribute}>{inside}</userTask>");

        var import = Import(xml);

        var one = Assert.Single(import.PassedOver);
        Assert.Equal(("userTask 'x' (\"Approve\")", "x", BpmnText.FirstLine, passed),
            (one.Path, one.Element, one.Line, $"{one.Kind} '{one.Name}' of '{one.Namespace}'"));
        Assert.True(one.Column > 1 && import.MorePassedOver == 0);
        Assert.True(JsonNode.DeepEquals(JsonNode.Parse("""{"type":"task","next":"e"}"""), Steps(import)["x"]));
        Assert.NotEmpty(BpmnText.Findings(xml));
    }

    [Theory]
    [InlineData("v:executionListener=\"a\""), InlineData("v:skipExpression=\"a\""), InlineData("v:assignee=\"ann\""),
        InlineData("v:candidate-groups=\"a\"")]
    [InlineData("v:class=\"com.acme.Pay\""), InlineData("v:outputMapping=\"a\""), InlineData("v:onEntryScript=\"a\""),
        InlineData("v:retries=\"3\"")]
    [InlineData("v:preCondition=\"a\""), InlineData("v:topic=\"pay\""), InlineData("v:dueDate=\"P1D\""),
        InlineData("activiti:assignee=\"ann\"")]
    [InlineData("activiti:anythingNew=\"1\""), InlineData("flowable:triggerable=\"true\""),
        InlineData("drools:packageName=\"a\""), InlineData("camunda:candidateUsers=\"ann\"")]
    [InlineData("zeebe:newThing=\"1\"")]
    public void Attribute_that_may_change_what_runs_stays_refused(string attribute) => Refused(
        $"<userTask id=\"x\" {attribute} />", "may change what the element does");

    [Theory]
    [InlineData("<v:taskListener event=\"create\" />"), InlineData("<v:script>a = 1</v:script>"),
        InlineData("<v:config><v:executionListener /></v:config>")]
    [InlineData("<v:in source=\"a\" target=\"b\" />"),
        InlineData("<v:config><v:entry outputVariable=\"a\" /></v:config>"), InlineData("<v:field name=\"a\" />")]
    [InlineData("<v:multiInstanceConfig />"), InlineData("<v:retryPolicy />"),
        InlineData("<activiti:formProperty id=\"a\" />"), InlineData("<flowable:executionListener />")]
    [InlineData("<drools:onEntry-script />"), InlineData("<zeebe:taskListeners />"),
        InlineData("<camunda:taskListener />"), InlineData("<variables />")]
    public void Extension_that_may_change_what_runs_stays_refused(string extension)
    {
        Refused($"<userTask id=\"x\"><extensionElements>{extension}</extensionElements></userTask>",
            "may change what the element does");
        Refused($"<userTask id=\"x\">{extension}</userTask>",
            extension == "<variables />" ? "is not known as a part" : "may change what the element does");
    }

    [Theory]
    [InlineData("<serviceTask id=\"x\" v:color=\"red\" />", "names no activity")]
    [InlineData("<serviceTask id=\"x\" activiti:delegateExpression=\"${a}\" />", "The attribute 'delegateExpression'")]
    [InlineData("<scriptTask id=\"x\" scriptFormat=\"groovy\" v:color=\"red\"><script>a = 1</script></scriptTask>",
        "Scripts in 'groovy'")]
    [InlineData("<userTask id=\"x\"><multiInstanceLoopCharacteristics v:color=\"red\" /></userTask>",
        "one list, or one number")]
    [InlineData("<userTask id=\"x\"><standardLoopCharacteristics /></userTask>", "Loops of an activity")]
    [InlineData("<userTask id=\"x\"><potentialOwner /></userTask>", "Potential owners")]
    [InlineData("<userTask id=\"x\"><dataInputAssociation><assignment /></dataInputAssociation></userTask>",
        "Data associations that compute")]
    [InlineData("<userTask id=\"x\"><frobnicate /></userTask>", "'frobnicate' is not known as a part")]
    [InlineData("<complexGateway id=\"x\" v:color=\"red\" />", "Complex gateways")]
    [InlineData("<userTask id=\"x\"><ioSpecification /><dataInputAssociation /></userTask>", "Data inputs and outputs")]
    [InlineData("<scriptTask id=\"x\"><script><v:code>a = 1</v:code></script></scriptTask>", "The extension 'code'")]
    [InlineData("<callActivity id=\"x\" v:color=\"red\" />", "names no process")]
    public void What_is_understood_and_refused_stays_refused(string element, string reason) => Refused(element, reason);

    [Theory]
    [InlineData(
        "<userTask id=\"x\"><ioSpecification><dataInput id=\"d\" /></ioSpecification></userTask>", "ioSpecification")]
    [InlineData("<task id=\"x\"><ioSpecification /><dataInputAssociation /></task>", "ioSpecification")]
    [InlineData("<task id=\"x\"><performer><resourceRef>ann</resourceRef></performer></task>", "performer")]
    [InlineData("<task id=\"x\"><potentialOwner /></task>", "potentialOwner")]
    [InlineData("<manualTask id=\"x\"><resourceRole /></manualTask>", "resourceRole")]
    public void Declarations_of_the_standard_are_passed_over_and_listed(string element, string part)
    {
        var one = Assert.Single(Import(Around(element)).PassedOver);

        Assert.Equal(("element", part, "http://www.omg.org/spec/BPMN/20100524/MODEL", "x"),
            (one.Kind, one.Name, one.Namespace, one.Element));
    }

    [Fact]
    public void Whatever_has_them_is_named_in_the_order_of_the_file()
    {
        var import = Import(BpmnText.Process($"""
            <extensionElements><v:page {Prefixes} /></extensionElements><startEvent id="s" /><intermediateCatchEvent id="c">
            <timerEventDefinition {Prefixes} v:icon="1"><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent><endEvent id="e" />
            <sequenceFlow id="f" sourceRef="s" targetRef="c" {Prefixes} v:bend="2" />
            <sequenceFlow id="g" sourceRef="c" targetRef="e"><extensionElements><v:style {Prefixes} /></extensionElements></sequenceFlow>
            """));

        Assert.Equal(
            ["process p page 4", "intermediateCatchEvent c icon 5", "sequenceFlow f bend 6", "sequenceFlow g style 7"],
            import.PassedOver.Select(one => $"{one.Path.Split(' ')[0]} {one.Element} {one.Name} {one.Line}"));
    }

    [Theory]
    [InlineData("true", true), InlineData("1", true), InlineData("false", false)]
    public void Extension_that_must_be_understood_is_not_passed_over(string must, bool refused)
    {
        var xml = Around(
            "<userTask id=\"x\" v:color=\"red\" />", $"<extension mustUnderstand=\"{must}\" definition=\"v:colors\" />");

        var exception = Record.Exception(() => Import(xml));

        Assert.Equal(refused, exception is BpmnInvalidException { Findings: [{ Element: "extension" } finding] }
            && finding.Message.Contains("'v:colors' must be understood", StringComparison.Ordinal));
    }

    [Fact]
    public void A_thousand_are_listed_and_the_others_counted()
    {
        var many = string.Concat(Enumerable.Range(0, 1_200).Select(i => $"<v:a{i} />"));

        var import = Import(Around($"<userTask id=\"x\"><extensionElements>{many}</extensionElements></userTask>"));

        Assert.Equal((1_000, 200), (import.PassedOver.Count, import.MorePassedOver));
    }

    [Fact]
    public void Definition_is_the_one_of_the_file_without_them()
    {
        var xml = Around("<userTask id=\"x\" v:color=\"red\" />");

        Assert.Equal(
            Steps(BpmnImporter.Import(
                Encoding.UTF8.GetBytes(xml.Replace(" v:color=\"red\"", "", StringComparison.Ordinal)),
                cancellationToken: Cancel)).ToJsonString(),
            Steps(Import(xml)).ToJsonString());
    }

    private static void Refused(string element, string reason)
    {
        var thrown = Assert.Throws<BpmnInvalidException>(() => Import(Around(element)));

        Assert.Contains(thrown.Findings, finding => finding.Message.Contains(reason, StringComparison.Ordinal));
    }

    private static string Around(string element, string beside = "") =>
        BpmnText.Around(element, beside).Replace("<definitions ", $"<definitions {Prefixes}", StringComparison.Ordinal);

    private static BpmnImport Import(string xml) =>
        BpmnImporter.Import(Encoding.UTF8.GetBytes(xml), new BpmnReading { Unknown = UnknownContent.Report });

    private static JsonObject Steps(BpmnImport import)
    {
        var steps = JsonNode.Parse(Assert.Single(import.Definitions).Json)!["steps"]!.AsObject();
        foreach (var step in steps)
        {
            step.Value!.AsObject().Remove("title");
            step.Value!.AsObject().Remove("source");
        }

        return steps;
    }
}
