using System.Diagnostics;
using Workflow.Bpmn;

namespace UnitTests.Workflow.Bpmn;

/// <summary>A refusal names the place and the remedy. Hostile files are refused.</summary>
public sealed class BpmnRefusalTests
{
    private const string Beside =
        """<message id="m" name="paid" /><message id="bad" name="not a name" /><signal id="a" name="alarm" />""";

    [Theory]
    [InlineData("<complexGateway id=\"x\" name=\"Some\" />", "", "complexGateway 'x' (\"Some\")",
        "exclusive and parallel gateways")]
    [InlineData("<businessRuleTask id=\"x\" />", "", "businessRuleTask 'x'", "service task")]
    [InlineData("<transaction id=\"x\" />", "", "transaction 'x'", "sub-process")]
    [InlineData("<adHocSubProcess id=\"x\" />", "", "adHocSubProcess 'x'", "user tasks")]
    [InlineData("<frobnicate id=\"x\" />", "", "frobnicate 'x'", "tasks, events and gateways")]
    [InlineData("<intermediateCatchEvent id=\"x\"><conditionalEventDefinition /></intermediateCatchEvent>", "",
        "intermediateCatchEvent 'x'", "Conditional events")]
    [InlineData("<intermediateThrowEvent id=\"x\"><compensateEventDefinition /></intermediateThrowEvent>", "",
        "intermediateThrowEvent 'x'", "Compensation")]
    [InlineData("<intermediateThrowEvent id=\"x\"><escalationEventDefinition /></intermediateThrowEvent>", "",
        "intermediateThrowEvent 'x'", "Escalation")]
    [InlineData(
        "<intermediateCatchEvent "
            + "id=\"x\"><timerEventDefinition><timeCycle>R3/PT1S</timeCycle></timerEventDefinition></intermediateCatchEvent>", "<timeCycle>", "intermediateCatchEvent 'x'", "leads back")]
    [InlineData(
        "<intermediateCatchEvent "
            + "id=\"x\"><timerEventDefinition><timeDuration>P1M</timeDuration></timerEventDefinition></intermediateCatchEvent>", "<timeDuration>", "intermediateCatchEvent 'x'", "P30D")]
    [InlineData(
        "<intermediateCatchEvent "
            + "id=\"x\"><timerEventDefinition><timeDate>2026-03-17T08:00:00</timeDate></timerEventDefinition></intermediateCatchEvent>", "<timeDate>", "intermediateCatchEvent 'x'", "with offset")]
    [InlineData(
        "<intermediateCatchEvent id=\"x\"><messageEventDefinition messageRef=\"none\" /></intermediateCatchEvent>",
        "<messageEventDefinition", "intermediateCatchEvent 'x'", "Declare it")]
    [InlineData("<manualTask id=\"x\"><multiInstanceLoopCharacteristics /></manualTask>", "<multiInstance",
        "manualTask 'x'", "Multi-instance")]
    [InlineData("<serviceTask id=\"x\" />", "", "serviceTask 'x'", "zeebe:taskDefinition")]
    [InlineData(
        "<callActivity id=\"x\" calledElement=\"c\"><extensionElements><camunda:in target=\"a\" "
            + "/></extensionElements></callActivity>", "<camunda:in", "callActivity 'x'", "sourceExpression")]
    [InlineData(
        "<callActivity id=\"x\" calledElement=\"c\"><extensionElements><camunda:inputOutput><camunda:inputParameter "
            + "name=\"a\">1</camunda:inputParameter></camunda:inputOutput></extensionElements></callActivity>",
            "<camunda:inputParameter", "callActivity 'x'", "camunda:out")]
    [InlineData("<serviceTask id=\"x\" camunda:class=\"com.acme.Pay\" />", "com.acme.Pay", "serviceTask 'x'",
        "that names an activity")]
    [InlineData("<serviceTask id=\"x\" implementation=\"${bean}\" />", "${bean}", "serviceTask 'x'",
        "the same for every instance")]
    [InlineData("<serviceTask id=\"x\" implementation=\"echo\" xmlns:o=\"urn:other\" o:retry=\"2\" />", "2\" />",
        "serviceTask 'x'", "urn:other")]
    [InlineData("<serviceTask id=\"x\" implementation=\"echo\" isForCompensation=\"true\" />", "", "serviceTask 'x'",
        "Compensation")]
    [InlineData("<serviceTask id=\"x\" implementation=\"echo\" isForCompensation=\"1\" />", "", "serviceTask 'x'",
        "Compensation")]
    [InlineData("<serviceTask id=\"x\" implementation=\"echo\" isForCompensation=\"no\" />", "no\" />",
        "serviceTask 'x'", "Write true or false")]
    [InlineData(
        "<receiveTask id=\"x\" messageRef=\"m\" instantiate=\"1\" />", "", "receiveTask 'x'", "starts the process")]
    [InlineData(
        "<serviceTask id=\"x\"><extensionElements><zeebe:taskDefinition type=\"echo\" /><zeebe:taskHeaders "
            + "/></extensionElements></serviceTask>", "<zeebe:taskHeaders", "serviceTask 'x'", "zeebe:input")]
    [InlineData("<userTask id=\"x\" camunda:candidateUsers=\"ann\" />", "ann\"", "userTask 'x'", "Use an assignee")]
    [InlineData(
        "<userTask id=\"x\"><extensionElements><camunda:inputOutput><camunda:inputParameter "
            + "name=\"a\">1</camunda:inputParameter></camunda:inputOutput></extensionElements></userTask>",
            "<camunda:inputParameter", "userTask 'x'", "script task before it")]
    [InlineData("<scriptTask id=\"x\" scriptFormat=\"groovy\"><script>a = 1</script></scriptTask>", "<script>",
        "scriptTask 'x'", "scriptFormat=\"feel\"")]
    [InlineData(
        "<scriptTask id=\"x\" scriptFormat=\"csharp\"><script>_context.a = 1;\n  Console.Beep()</script></scriptTask>",
        "Console.Beep", "scriptTask 'x'", "is no assignment")]
    [InlineData(
        "<scriptTask id=\"x\" scriptFormat=\"csharp\"><script>_context.a = 10 / _context.b</script></scriptTask>",
        "/ _context", "scriptTask 'x'", "without a remainder")]
    [InlineData("<scriptTask id=\"x\"><script>a = b +</script></scriptTask>", "</script>", "scriptTask 'x'",
        "Expected a value")]
    [InlineData(
        "<callActivity id=\"x\" calledElement=\"elsewhere\" />", "", "callActivity 'x'", "propagateAllParentVariables")]
    [InlineData("<callActivity id=\"x\" calledElement=\"${which}\" />", "${which}", "callActivity 'x'",
        "the same for every instance")]
    public void Element_is_refused_with_place_and_advice(string element, string at, string subject, string advice)
    {
        var findings = BpmnText.Findings(BpmnText.Around(element, Beside));

        var before = element[..element.IndexOf(at, StringComparison.Ordinal)];
        var place = (BpmnText.FirstLine + before.Count(c => c == '\n'), before.Length - before.LastIndexOf('\n'));
        var finding = findings.First(one => one.Message.Contains(advice, StringComparison.Ordinal));
        Assert.Equal((subject, place), (finding.Subject, (finding.Line, finding.Column)));
        Assert.DoesNotContain(findings, one => one.Id != "x");
    }

    [Theory]
    [InlineData(
        "<startEvent id=\"s\"><timerEventDefinition><timeCycle>R/PT1H</timeCycle></timerEventDefinition></startEvent>",
        "POST /instances")]
    [InlineData("<startEvent id=\"s\"><conditionalEventDefinition /></startEvent>", "Conditional events")]
    [InlineData("<startEvent id=\"s\" /><startEvent id=\"s2\" />", "Several start events")]
    [InlineData("", "has no start event")]
    public void Start_is_refused_with_a_reason(string start, string advice)
    {
        var findings = BpmnText.Findings(
            BpmnText.Process(
                start + """<endEvent id="e" />""" + (start.Length == 0 ? "" : BpmnText.Flows("s>e")), Beside));

        Assert.Contains(findings, finding => finding.Message.Contains(advice, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(
        "<boundaryEvent id=\"b\" attachedToRef=\"x\" "
            + "cancelActivity=\"false\"><timerEventDefinition><timeCycle>R3/PT1S</timeCycle></timerEventDefinition></boundaryEvent>", "happens once")]
    [InlineData(
        "<boundaryEvent id=\"b\" attachedToRef=\"x\"><errorEventDefinition /></boundaryEvent>", "fails by itself")]
    [InlineData(
        "<boundaryEvent id=\"b\" attachedToRef=\"x\"><compensateEventDefinition /></boundaryEvent>", "Compensation")]
    [InlineData("<boundaryEvent id=\"b\" attachedToRef=\"nothing\"><errorEventDefinition /></boundaryEvent>",
        "attached to 'nothing'")]
    public void Boundary_event_is_refused_with_a_reason(string boundary, string advice)
    {
        var findings = BpmnText.Findings(BpmnText.Process(
            """<startEvent id="s" /><userTask id="x" /><endEvent id="e" />""" + boundary
                + BpmnText.Flows("s>x x>e b>e"),
            Beside));

        Assert.Contains(advice, findings.First(finding => finding.Id == "b").Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("<conditionExpression>${execution.getVariable('x') > 5}</conditionExpression>",
        "'execution' is not translated")]
    [InlineData("<conditionExpression>${empty list}</conditionExpression>", "count(list) = 0")]
    [InlineData("<conditionExpression>${a % 2 == 0}</conditionExpression>", "floor(a / b)")]
    [InlineData("<conditionExpression>${a} and ${b}</conditionExpression>", "not imported")]
    [InlineData("<conditionExpression>${name + 'x' == 'yx'}</conditionExpression>", "does not join texts")]
    [InlineData("<conditionExpression language=\"groovy\">a == 1</conditionExpression>", "write it in FEEL")]
    [InlineData("<conditionExpression>= some item in list satisfies item > 1</conditionExpression>", "not imported")]
    [InlineData("", "Give it a condition")]
    public void Condition_is_refused_with_a_reason(string condition, string advice)
    {
        var findings = BpmnText.Findings(BpmnText.Process($"""
            <startEvent id="s" /><exclusiveGateway id="g" default="g_b" /><endEvent id="a" /><endEvent id="b" />
            <sequenceFlow id="f" sourceRef="g" targetRef="a">{condition.Replace("> ", "&gt; ", StringComparison.Ordinal)}</sequenceFlow>
            """ + BpmnText.Flows("s>g g>b")));

        var finding = Assert.Single(findings);
        Assert.Equal(("f", 5), (finding.Id, finding.Line));
        Assert.Contains(advice, finding.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Signal_thrown_and_caught_in_one_file_is_refused()
    {
        var findings = BpmnText.Findings(BpmnText.Process("""
            <startEvent id="s" /><endEvent id="e" /><intermediateThrowEvent id="t"><signalEventDefinition signalRef="a" /></intermediateThrowEvent>
            <intermediateCatchEvent id="c"><signalEventDefinition signalRef="a" /></intermediateCatchEvent>
            """ + BpmnText.Flows("s>t t>c c>e"), Beside));

        Assert.Equal("t", Assert.Single(findings).Id);
    }

    [Fact]
    public void Consequence_of_a_refusal_is_not_a_finding()
    {
        var findings = BpmnText.Findings(BpmnText.Process("""
            <startEvent id="s" /><endEvent id="e" /><serviceTask id="x" /><boundaryEvent id="b" attachedToRef="x"><errorEventDefinition /></boundaryEvent>
            <subProcess id="sub" triggeredByEvent="true"><startEvent id="s2"><timerEventDefinition /></startEvent><endEvent id="e2" /><sequenceFlow id="g" sourceRef="s2" targetRef="e2" /></subProcess>
            <scriptTask id="y"><script>a = 1</script></scriptTask><boundaryEvent id="c" attachedToRef="y"><errorEventDefinition /></boundaryEvent>
            <subProcess id="in"><startEvent id="s3" /><endEvent id="e3"><escalationEventDefinition /></endEvent><sequenceFlow id="f" sourceRef="s3" targetRef="e3" /></subProcess>
            <userTask id="u" /><boundaryEvent id="t" attachedToRef="u"><timerEventDefinition><timeCycle>R/PT1H</timeCycle></timerEventDefinition></boundaryEvent>
            """ + BpmnText.Tasks("z1 z2 z3") + BpmnText.Flows("s>x x>y y>in in>u u>e b>z1 z1>e c>z2 z2>e t>z3 z3>e")));

        Assert.Equal("x s2 c e3 t", string.Join(' ', findings.Select(finding => finding.Id)));
    }

    [Fact]
    public void Everything_is_found_at_once_in_the_order_of_the_file()
    {
        var findings = BpmnText.Findings(BpmnText.Process(
            "<startEvent id=\"s\" />\n<complexGateway id=\"a\" />\n<businessRuleTask id=\"b\" />\n<userTask id=\"c\" "
                + "camunda:resource=\"x\" />\n<endEvent id=\"e\" />"
            + BpmnText.Flows("s>a a>b b>c c>e")));

        Assert.Equal(["a 5", "b 6", "c 7"], findings.Select(finding => $"{finding.Id} {finding.Line}"));
    }

    [Theory]
    [InlineData("", "not well-formed XML", 1)]
    [InlineData("<definitions", "not well-formed XML", 1)]
    [InlineData("<html />", "not 'definitions'", 1)]
    [InlineData("<?xml version=\"1.0\" encoding=\"utf-7\"?><definitions />", "UTF-8", 1)]
    [InlineData("<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" />", "no process", 1)]
    [InlineData(
        "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\">\n<process id=\"p\" "
            + "isExecutable=\"false\" /></definitions>", "isExecutable=\"true\"", 2)]
    [InlineData(
        "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\">\n<process><startEvent "
            + "id=\"s\" /></process></definitions>", "has no id", 2)]
    public void File_is_refused_with_a_reason(string xml, string advice, int line)
    {
        var finding = BpmnText.Findings(xml)[0];

        Assert.Contains(advice, finding.Message, StringComparison.Ordinal);
        Assert.Equal(line, finding.Line);
    }

    [Fact]
    public void Document_type_is_never_read()
    {
        const string Laughs =
            """<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>""";
        var secret = Path.GetTempFileName();
        File.WriteAllText(secret, "<secret />");
        var external = $"""<!DOCTYPE d [<!ENTITY f SYSTEM "{new Uri(secret)}">]>""";

        Assert.All([Laughs, external], type => Assert.Contains("<!DOCTYPE",
            Assert.Single(BpmnText.Findings(type + "<d>&c;&f;</d>")).Message, StringComparison.Ordinal));
        File.Delete(secret);
    }

    [Fact]
    public void Depth_size_and_number_are_bounded()
    {
        var clock = Stopwatch.StartNew();
        var deep = new StringBuilder().Insert(0, "<a>", 100_000).ToString();
        var many = BpmnText.Process(string.Concat(Enumerable.Range(0, 60_000).Select(i => "<b/>")));

        Assert.Contains("deeper than 64", Assert.Single(BpmnText.Findings(deep)).Message, StringComparison.Ordinal);
        Assert.Contains("50000 elements", Assert.Single(BpmnText.Findings(many)).Message, StringComparison.Ordinal);
        var large = Assert.Throws<BpmnInvalidException>(
            () => BpmnImporter.Import(new byte[50 * 1024 * 1024], cancellationToken: Cancel));
        Assert.Contains("52428800 bytes", large.Message, StringComparison.Ordinal);
        Assert.True(clock.Elapsed < TimeSpan.FromSeconds(30), clock.Elapsed.ToString());
    }

    [Fact]
    public void Ten_thousand_findings_are_counted_and_two_hundred_listed()
    {
        var twice = string.Concat(Enumerable.Range(0, 10_001).Select(_ => "\n<message id=\"m\" name=\"n\" />"));

        var findings = BpmnText.Findings(BpmnText.Around(BpmnText.Tasks("x"), twice));

        Assert.Equal(200, findings.Count);
        Assert.Contains("9801 more findings are not listed", findings[^1].Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Input_that_expands_beyond_an_expression_is_refused()
    {
        static string Sum(string of) => $"= {string.Join('+', Enumerable.Repeat(of, 450))}";

        var findings = BpmnText.Findings(
            BpmnText.Around(Mapped([("a", "= x + 1"), ("b", Sum("a")), ("c", Sum("b")), ("d", Sum("c"))])));

        Assert.Equal(["x 7", "x 8"], findings.Select(finding => $"{finding.Id} {finding.Line}"));
        Assert.All(findings,
            finding => Assert.Contains("more than 4096 characters", finding.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void Expansion_of_all_inputs_of_a_file_is_bounded()
    {
        var sum = $"= {string.Join('+', Enumerable.Repeat("a", 10))}";

        var findings = BpmnText.Findings(BpmnText.Around(Mapped([
            ("a", "= x" + string.Concat(Enumerable.Repeat("+1", 200))),
            .. Enumerable.Range(0, 1_100).Select(i => ($"b{i}", sum)),
        ])));

        Assert.Contains("4194304 characters more", findings[0].Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Long_condition_and_long_script_are_refused()
    {
        var condition = BpmnText.Findings(BpmnText.Process($$"""
            <startEvent id="s" /><exclusiveGateway id="g" default="g_b" /><endEvent id="a" /><endEvent id="b" />
            <sequenceFlow id="f" sourceRef="g" targetRef="a"><conditionExpression>${{{string.Join("||", Enumerable.Repeat("a", 100_000))}}}</conditionExpression></sequenceFlow>
            """ + BpmnText.Flows("s>g g>b")));
        var script = BpmnText.Findings(BpmnText.Around(
            $"<scriptTask id=\"x\"><script>{string.Concat(Enumerable.Repeat("x\n", 200_000))}</script></scriptTask>"));

        Assert.Contains(
            "has 299998 characters; at most 4096", Assert.Single(condition).Message, StringComparison.Ordinal);
        Assert.Equal(200, script.Count);
        Assert.StartsWith("1 more findings", script[^1].Message, StringComparison.Ordinal);
        Assert.Equal(BpmnText.FirstLine + 198, script[198].Line);
    }

    [Theory]
    [InlineData(1_001, 1, "The process names 1001 variables; at most 1000")]
    [InlineData(1_000, 150, "in 301 places here, and there are 1000 of them; at most 200000")]
    public void Variables_and_what_steps_take_and_give_of_them_are_bounded(int variables, int tasks, string message)
    {
        var script = string.Concat(Enumerable.Range(0, variables).Select(i => $"v{i} = 1\n"));
        var services = string.Concat(
            Enumerable.Range(0, tasks).Select(i => $"<serviceTask id=\"t{i}\" implementation=\"echo\" />"));
        var flows = string.Concat(Enumerable.Range(1, tasks - 1).Select(i => $"t{i - 1}>t{i} "));

        var findings = BpmnText.Findings(BpmnText.Process($"""
            <startEvent id="s" /><scriptTask id="x"><script>{script}</script></scriptTask><endEvent id="e" />{services}
            """ + BpmnText.Flows($"s>x x>t0 {flows}t{tasks - 1}>e")));

        Assert.Contains(message, Assert.Single(findings).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Variables_of_called_processes_count_for_the_caller()
    {
        const string Call = """<callActivity id="c" calledElement="q" />""";
        static string Names(string of) => string.Concat(Enumerable.Range(0, 600).Select(i => $"{of}{i} = 1\n"));

        var finding = Assert.Single(BpmnText.Findings($"""
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
            <process id="p"><startEvent id="s" /><scriptTask id="x"><script>{Names("v")}</script></scriptTask>{Call}{BpmnText.Flows("s>x x>c")}</process>
            <process id="q"><startEvent id="s" /><scriptTask id="x"><script>{Names("w")}</script></scriptTask>{BpmnText.Flows("s>x")}</process></definitions>
            """));

        Assert.Equal("p", finding.Id);
        Assert.Contains("more than 1000 variables, with those of the processes that it calls", finding.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Steps_that_the_lines_of_a_script_become_are_bounded() => Assert.Contains("becomes 1001 steps",
        Assert.Single(BpmnText.Findings(BpmnText.Around(
            $"<scriptTask id=\"x\"><script>{string.Concat(Enumerable.Repeat("a = a + 1\n", 1_001))}</script></scriptTask>"))).Message,
        StringComparison.Ordinal);

    [Fact]
    public void Processes_of_a_file_are_bounded()
    {
        var processes = Enumerable.Range(0, 201)
            .Select(i => $"""<process id="p{i}"><startEvent id="s" /><userTask id="u" />{BpmnText.Flows("s>u")}</process>""");

        var finding = Assert.Single(BpmnText.Findings(
            $"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">{string.Concat(processes)}</definitions>"""));

        Assert.Contains("201 processes that are executed; at most 200", finding.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Message_that_starts_two_processes_is_refused()
    {
        static string Process(string message) => $"""
            <process id="p{message}"><startEvent id="s{message}">{BpmnText.Message(message)}</startEvent><endEvent id="e" />{BpmnText.Flows($"s{message}>e")}</process>
            """;

        var finding = Assert.Single(BpmnText.Findings($"""
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><message id="m" name="ordered" /><message id="n" name="ordered" />
            {Process("m")}{Process("n")}</definitions>
            """));

        Assert.Equal("sn", finding.Id);
        Assert.Contains("'ordered' starts 'pm' of this file", finding.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Import_stops_when_it_is_cancelled() => Assert.Throws<OperationCanceledException>(() =>
        BpmnImporter.Import(Encoding.UTF8.GetBytes(BpmnText.Around(BpmnText.Tasks("x"))),
            cancellationToken: new CancellationToken(canceled: true)));

    /// <summary>A service task <c>x</c> of Camunda 8 with these inputs, one on each line.</summary>
    private static string Mapped(IEnumerable<(string Target, string Source)> inputs) => $"""
        <serviceTask id="x"><extensionElements><zeebe:taskDefinition type="echo" /><zeebe:ioMapping>{string.Concat(inputs.Select(input =>
            $"\n<zeebe:input target=\"{input.Target}\" source=\"{input.Source}\" />"))}</zeebe:ioMapping></extensionElements></serviceTask>
        """;

    [Fact]
    public void Widest_parallel_process_is_imported_in_time()
    {
        var clock = Stopwatch.StartNew();
        var flows = new StringBuilder("s>f0");
        for (var i = 0; i < 90; i++)
        {
            flows.Append(
                CultureInfo.InvariantCulture, $" f{i}>a{i} f{i}>b{i} a{i}>j{i} b{i}>j{i} j{i}>{(i == 89 ? "e" : $"f{i + 1}")}");
        }

        var gateways = string.Concat(
            Enumerable.Range(0, 90).Select(i => $"<parallelGateway id=\"f{i}\" /><parallelGateway id=\"j{i}\" />"));
        var tasks = BpmnText.Tasks(string.Join(' ', Enumerable.Range(0, 90).Select(i => $"a{i} b{i}")));
        BpmnText.Import(
            BpmnText.Process(
                "<startEvent id=\"s\" /><endEvent id=\"e\" />" + gateways + tasks + BpmnText.Flows(flows.ToString())));
        var wide = BpmnText.Findings(
            BpmnText.Process(
                "<startEvent id=\"s\" />"
                    + BpmnText.Tasks(string.Join(' ', Enumerable.Range(0, 1100).Select(i => $"t{i}")))));

        Assert.Contains("more than 1000 elements", wide[0].Message, StringComparison.Ordinal);
        Assert.True(clock.Elapsed < TimeSpan.FromSeconds(30), clock.Elapsed.ToString());
    }

    [Fact]
    public void Randomly_changed_file_is_imported_or_refused()
    {
        var random = new Random(16);
        string[] parts = ["<", ">", "/>", "\"", "&lt;", "id=\"f1\"", "${", "}", "= ", "\0", "default",
            "<subProcess id=\"q\">", "parallelGateway", "é", "R1/", "((", "_context."];
        var files = Directory.GetFiles(Path.Combine(Fixtures.Folder, "bpmn")).Order(StringComparer.Ordinal)
            .Select(File.ReadAllText).ToList();
        var imported = 0;
        for (var i = 0; i < 500; i++)
        {
            var text = new StringBuilder(files[i % files.Count]);
            for (var change = random.Next(1, 4); change > 0; change--)
            {
                var at = random.Next(text.Length);
                switch (random.Next(4))
                {
                    case 0:
                        text.Remove(at, Math.Min(random.Next(1, 40), text.Length - at));
                        break;
                    case 1:
                        text.Insert(at, parts[random.Next(parts.Length)]);
                        break;
                    case 2:
                        text[at] = (char)random.Next(32, 127);
                        break;
                    default:
                        var length = Math.Min(random.Next(1, 200), text.Length - at);
                        text.Insert(random.Next(text.Length), text.ToString(at, length));
                        break;
                }
            }

            try
            {
                imported += BpmnText.Import(text.ToString()).Count > 0 ? 1 : 0;
            }
            catch (BpmnInvalidException e)
            {
                Assert.NotEmpty(e.Findings);
                Assert.All(e.Findings, finding =>
                    Assert.True(finding is { Line: >= 1, Column: >= 1, Message.Length: > 0 }, finding.ToString()));
            }
        }

        Assert.InRange(imported, 1, 499);
    }
}
