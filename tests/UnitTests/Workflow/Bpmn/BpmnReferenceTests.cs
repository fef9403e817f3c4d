using System.Diagnostics;
using static UnitTests.Workflow.Bpmn.BpmnText;

namespace UnitTests.Workflow.Bpmn;

/// <summary>Elements are found by qualified names, and events by definitions that stand beside the process.</summary>
public sealed class BpmnReferenceTests
{
    /// <summary>Each reference that is read, with <c>%</c> where a prefix stands.</summary>
    private const string Everything = """
        <message id="m" name="paid" /><signal id="g" name="alarm" /><error id="r" errorCode="E1" /><timerEventDefinition id="t"><timeDuration>PT1H</timeDuration></timerEventDefinition>
        <process id="p" isExecutable="true">
        <startEvent id="s"><outgoing>%f1</outgoing></startEvent>
        <exclusiveGateway id="x" default="%f3"><incoming>%f1</incoming><outgoing>%f2</outgoing><outgoing>%f3</outgoing></exclusiveGateway>
        <receiveTask id="w" messageRef="%m" /><callActivity id="c" calledElement="%q" /><userTask id="u" />
        <boundaryEvent id="b1" attachedToRef="%c"><errorEventDefinition errorRef="%r" /></boundaryEvent>
        <boundaryEvent id="b2" attachedToRef="%u"><signalEventDefinition signalRef="%g" /></boundaryEvent>
        <boundaryEvent id="b3" attachedToRef="%u"><eventDefinitionRef>%t</eventDefinitionRef></boundaryEvent>
        <endEvent id="e" /><endEvent id="f"><errorEventDefinition errorRef="%r" /></endEvent>
        <sequenceFlow id="f1" sourceRef="%s" targetRef="%x" /><sequenceFlow id="f2" sourceRef="%x" targetRef="%w"><conditionExpression>= a</conditionExpression></sequenceFlow>
        <sequenceFlow id="f3" sourceRef="%x" targetRef="%c" /><sequenceFlow id="f4" sourceRef="%w" targetRef="%u" /><sequenceFlow id="f5" sourceRef="%c" targetRef="%u" />
        <sequenceFlow id="f6" sourceRef="%u" targetRef="%e" /><sequenceFlow id="f7" sourceRef="%b1" targetRef="%f" />
        <sequenceFlow id="f8" sourceRef="%b2" targetRef="%f" /><sequenceFlow id="f9" sourceRef="%b3" targetRef="%e" />
        </process><process id="q" isExecutable="true"><startEvent id="s1" /><endEvent id="e1" /><sequenceFlow id="h" sourceRef="%s1" targetRef="%e1" /></process>
        """;

    [Theory]
    [InlineData("own:", "xmlns:own=\"http://example.org/shop\" targetNamespace=\"http://example.org/shop\"")]
    [InlineData(" own:", "xmlns:own=\"http://example.org/shop\" targetNamespace=\"http://example.org/shop\"")]
    [InlineData("a.b-c:", "xmlns:a.b-c=\"urn:x\" targetNamespace=\"urn:x\"")]
    [InlineData("bpmn:", "xmlns:bpmn=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" targetNamespace=\"urn:x\"")]
    [InlineData("own:", "xmlns:own=\"urn:x\"")]
    [InlineData("  ", "")]
    public void Qualified_name_means_the_same_in_every_reference(string prefix, string attributes) => Assert.Equal(
        Import(File(Everything.Replace("%", "", StringComparison.Ordinal))).Select(definition => definition.Json),
        Import(File(Everything.Replace("%", prefix, StringComparison.Ordinal), attributes))
            .Select(definition => definition.Json));

    [Fact]
    public void Prefix_that_is_declared_further_in_is_resolved_there()
    {
        var steps = Steps(File("""
            <message id="m" name="paid" /><process id="p" isExecutable="true" xmlns:in="urn:x"><startEvent id="s" />
            <receiveTask id="x" messageRef="in:m" /><endEvent id="e" /><sequenceFlow id="f1" sourceRef="s" targetRef="in:x" />
            <o:sequenceFlow xmlns:o="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:own="urn:x" id="f2" sourceRef="own:x" targetRef="own:e" /></process>
            """, "targetNamespace=\"urn:x\""));

        Assert.Equal("paid", steps["x"]!["signal"]!.ToString());
    }

    [Theory]
    [InlineData("attachedToRef=\"%u\"", "b2"), InlineData("attachedToRef=\"%c\"", "b1"),
        InlineData("calledElement=\"%q\"", "c")]
    [InlineData("messageRef=\"%m\"", "w"), InlineData("signalRef=\"%g\"", "b2"), InlineData("errorRef=\"%r\"", "b1"),
        InlineData("default=\"%f3\"", "x")]
    [InlineData("sourceRef=\"%w\"", "f4"), InlineData("targetRef=\"%w\"", "f2"),
        InlineData("<eventDefinitionRef>%t<", "b3")]
    public void Prefix_of_another_file_is_refused_with_a_reason(string reference, string element)
    {
        var xml = Everything.Replace(
            reference, reference.Replace("%", "shop:", StringComparison.Ordinal), StringComparison.Ordinal);

        var findings = Findings(
            File(xml.Replace("%", "", StringComparison.Ordinal),
                "xmlns:shop=\"http://example.org/shop\" targetNamespace=\"urn:x\""));

        var finding = findings.First(finding => finding.Id == element);
        Assert.Contains(
            "stands for 'http://example.org/shop', which is another file", finding.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("catch"), InlineData("start"), InlineData("end"), InlineData("boundary"), InlineData("throw"),
        InlineData("handler"), InlineData("choice")]
    public void Event_definition_beside_the_process_is_that_of_the_event(string where)
    {
        var (definition, inside) = where switch
        {
            "catch" => (
                Timer("PT1H"),
                """<startEvent id="s" /><intermediateCatchEvent id="x">%</intermediateCatchEvent><endEvent id="e" />"""
                    + Flows("s>x x>e")),
            "start" => (Message("m"),
                """<startEvent id="s">%</startEvent><userTask id="x" /><endEvent id="e" />""" + Flows("s>x x>e")),
            "end" => (Error("one"),
                """<startEvent id="s" /><userTask id="x" /><endEvent id="e">%</endEvent>""" + Flows("s>x x>e")),
            "throw" => (
                Signal("g"),
                """<startEvent id="s" /><intermediateThrowEvent id="x">%</intermediateThrowEvent><endEvent id="e" />"""
                    + Flows("s>x x>e")),
            "handler" => (
                Signal("g"),
                """<startEvent id="s" /><userTask id="x" /><endEvent id="e" />""" + Flows("s>x x>e")
                    + Handler("h", "%", "<endEvent id=\"he\" />", "h_s>he")),
            "choice" => (
                Signal("g"),
                """<startEvent id="s" /><eventBasedGateway id="x" /><endEvent id="e" />""" + Catch("c", "%")
                    + Catch("d", Timer("PT1H")) + Flows("s>x x>c x>d c>e d>e")),
            _ => (Message("m"),
                """<startEvent id="s" /><userTask id="x" /><endEvent id="e" /><endEvent id="o" />"""
                    + Boundary("b", "x", "%") + Flows("s>x x>e b>o")),
        };
        var referred = definition.Insert(
            definition.IndexOf("Definition", StringComparison.Ordinal) + "Definition".Length, " id=\"d\"");

        var expected = Steps(Process(inside.Replace("%", definition, StringComparison.Ordinal), Beside));
        var steps = Steps(
            Process(inside.Replace("%", "<eventDefinitionRef>d</eventDefinitionRef>", StringComparison.Ordinal),
                Beside + referred));

        Assert.Equal(expected.ToJsonString(), steps.ToJsonString());
    }

    [Theory]
    [InlineData("<boundaryEvent id=\"b\" attachedToRef=\"x\" />", "has no trigger")]
    [InlineData(
        "<boundaryEvent id=\"b\" attachedToRef=\"x\"><eventDefinitionRef>gone</eventDefinitionRef></boundaryEvent>",
        "no event definition 'gone' in the file")]
    [InlineData(
        "<boundaryEvent id=\"b\" attachedToRef=\"x\"><messageEventDefinition messageRef=\"gone\" /></boundaryEvent>",
        "no message 'gone' in the file")]
    [InlineData(
        "<boundaryEvent id=\"b\" attachedToRef=\"x\"><messageEventDefinition /></boundaryEvent>", "names no message")]
    [InlineData("<boundaryEvent id=\"b\" attachedToRef=\"x\"><timerEventDefinition /></boundaryEvent>", "says no time")]
    [InlineData(
        "<boundaryEvent id=\"b\" attachedToRef=\"x\"><errorEventDefinition errorRef=\"gone\" /></boundaryEvent>",
        "no error 'gone' in the file")]
    [InlineData(
        "<boundaryEvent id=\"b\" attachedToRef=\"x\"><errorEventDefinition errorRef=\"bare\" /></boundaryEvent>",
        "'bare' that it catches has no errorCode")]
    [InlineData("<boundaryEvent id=\"b\" attachedToRef=\"gone\"><timerEventDefinition /></boundaryEvent>",
        "attached to 'gone'")]
    [InlineData("<boundaryEvent id=\"b\"><timerEventDefinition /></boundaryEvent>", "attachedToRef=\"taskId\"")]
    [InlineData("<intermediateCatchEvent id=\"b\" />", "catches nothing")]
    [InlineData(
        "<intermediateCatchEvent id=\"b\"><eventDefinitionRef>gone</eventDefinitionRef></intermediateCatchEvent>",
        "no event definition 'gone'")]
    [InlineData(
        "<intermediateThrowEvent id=\"b\"><eventDefinitionRef>gone</eventDefinitionRef></intermediateThrowEvent>",
        "no event definition 'gone'")]
    [InlineData(
        "<intermediateCatchEvent id=\"b\"><linkEventDefinition /></intermediateCatchEvent>", "link has no name")]
    public void Missing_part_of_an_event_is_named(string element, string lacks)
    {
        var findings =
            Findings(Process("""<startEvent id="s" /><callActivity id="x" calledElement="q" /><endEvent id="e" />"""
            + element + Flows(element.Contains("boundary", StringComparison.Ordinal) ? "s>x x>e b>e" : "s>b b>x x>e"),
            "<error id=\"bare\" />"));

        Assert.Contains(lacks, findings.First(finding => finding.Id == "b").Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Event_definitions_that_many_events_refer_to_are_bounded()
    {
        var clock = Stopwatch.StartNew();
        var events =
            string.Concat(Enumerable.Range(0, 10_000).Select(i => "<a><eventDefinitionRef>d</eventDefinitionRef></a>"));
        var definition = $"<timerEventDefinition "
            + $"id=\"d\">{string.Concat(Enumerable.Repeat("<b/>", 10_000))}</timerEventDefinition>";

        Assert.Contains(
            "with the event definitions", Findings(Process(events, definition))[0].Message, StringComparison.Ordinal);
        Assert.True(clock.Elapsed < TimeSpan.FromSeconds(30), clock.Elapsed.ToString());
    }

    private static string File(string inside, string attributes = "") =>
        $"<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" {attributes}>\n{inside}</definitions>";
}
