using Workflow.Bpmn;

namespace UnitTests.Workflow.Bpmn;

/// <summary>What each element becomes, in each dialect.</summary>
public sealed class BpmnElementTests
{
    private const string Beside = """
        <message id="m" name="paid" /><signal id="a" name="alarm" /><error id="r" name="Not paid" errorCode="E1" />
        """;

    private const string Keyed = """
        <message id="k" name="keyed"><extensionElements><zeebe:subscription correlationKey="=id" /></extensionElements></message>
        """;

    [Theory]
    [InlineData(
        """<scriptTask id="x" scriptFormat="csharp"><script>_context.a = _context.b + 1</script></scriptTask>""",
        """{"type":"set","values":{"a":"= (b + 1)"},"next":"e"}""")]
    [InlineData(
        """<scriptTask id="x" scriptFormat="csharp"><script>_context.a = _context.b ? "y" : "n";</script></scriptTask>""", """{"type":"set","values":{"a":"= (if b then \"y\" else \"n\")"},"next":"e"}""")]
    [InlineData("""<scriptTask id="x" scriptFormat="feel"><script>a = [1, 2]; b = "c"</script></scriptTask>""",
        """{"type":"set","values":{"a":"= [1, 2]","b":"c"},"next":"e"}""")]
    [InlineData(
        """<scriptTask id="x"><extensionElements><zeebe:script expression="= price * 2" resultVariable="t" /></extensionElements></scriptTask>""", """{"type":"set","values":{"t":"= price * 2"},"next":"e"}""")]
    [InlineData(
        """<scriptTask id="x" scriptFormat="feel" camunda:resultVariable="t"><script>price * 2</script></scriptTask>""",
        """{"type":"set","values":{"t":"= price * 2"},"next":"e"}""")]
    [InlineData(
        """<intermediateCatchEvent id="x"><timerEventDefinition><timeDuration>PT5M</timeDuration></timerEventDefinition></intermediateCatchEvent>""", """{"type":"delay","duration":"PT5M","next":"e"}""")]
    [InlineData(
        """<intermediateCatchEvent id="x"><timerEventDefinition><timeDuration>${pause}</timeDuration></timerEventDefinition></intermediateCatchEvent>""", """{"type":"delay","duration":"= pause","next":"e"}""")]
    [InlineData(
        """<intermediateCatchEvent id="x"><timerEventDefinition><timeDate>2026-03-17T08:00:00Z</timeDate></timerEventDefinition></intermediateCatchEvent>""", """{"type":"delay","until":"2026-03-17T08:00:00Z","next":"e"}""")]
    [InlineData(
        """<intermediateCatchEvent id="x"><timerEventDefinition><timeCycle>R1/PT5S</timeCycle></timerEventDefinition></intermediateCatchEvent>""", """{"type":"delay","duration":"PT5S","next":"e"}""")]
    [InlineData("""<intermediateCatchEvent id="x"><signalEventDefinition signalRef="a" /></intermediateCatchEvent>""",
        """{"type":"waitSignal","signal":"alarm","next":"e"}""")]
    [InlineData(
        """<intermediateCatchEvent id="x" camunda:asyncAfter="true"><messageEventDefinition messageRef="m" /></intermediateCatchEvent>""", """{"type":"waitSignal","signal":"paid","next":"e"}""")]
    [InlineData("""<receiveTask id="x" messageRef="k" />""",
        """{"type":"waitSignal","signal":"keyed","correlation":"= id","result":"x_payload","next":"x_2"}""")]
    [InlineData("""<intermediateThrowEvent id="x"><signalEventDefinition signalRef="a" /></intermediateThrowEvent>""",
        """{"type":"raise","event":"alarm","next":"e"}""")]
    [InlineData("""<sendTask id="x" messageRef="m" camunda:asyncBefore="true" />""",
        """{"type":"raise","event":"paid","next":"e"}""")]
    [InlineData("""<serviceTask id="x" camunda:type="external" camunda:topic="echo" />""",
        """{"type":"invoke","activity":"echo","next":"e"}""")]
    [InlineData(
        """<serviceTask id="x"><extensionElements><zeebe:taskDefinition type="echo" retries="1" /></extensionElements></serviceTask>""", """{"type":"invoke","activity":"echo","next":"e"}""")]
    [InlineData(
        """<serviceTask id="x"><extensionElements><zeebe:taskDefinition type="echo" /></extensionElements></serviceTask>""", """{"type":"invoke","activity":"echo","retry":{"maxAttempts":3,"initialInterval":"PT0S","backoff":1},"next":"e"}""")]
    [InlineData(
        """<serviceTask id="x" implementation="echo" />""", """{"type":"invoke","activity":"echo","next":"e"}""")]
    [InlineData("""<userTask id="x" camunda:assignee="ann" camunda:candidateGroups="a, b" camunda:formKey="f" />""",
        """{"type":"task","assignee":"ann","groups":["a","b"],"next":"e"}""")]
    [InlineData(
        """<userTask id="x"><extensionElements><zeebe:userTask /><zeebe:assignmentDefinition assignee="=who" candidateGroups="a" /></extensionElements></userTask>""", """{"type":"task","assignee":"= who","groups":["a"],"result":"x_payload","next":"x_2"}""")]
    [InlineData(
        """<callActivity id="x" calledElement="child"><extensionElements><camunda:in source="b" target="a" /><camunda:out source="d" target="c" /></extensionElements></callActivity>""", """{"type":"call","definition":"child","input":{"a":"= b"},"result":"x_payload","next":"x_2"}""")]
    [InlineData(
        """<callActivity id="x"><extensionElements><zeebe:calledElement processId="child" propagateAllParentVariables="false" propagateAllChildVariables="false" /><zeebe:ioMapping><zeebe:input source="=b" target="a" /></zeebe:ioMapping></extensionElements></callActivity>""", """{"type":"call","definition":"child","input":{"a":"= b"},"next":"e"}""")]
    [InlineData(
        """<callActivity id="x" calledElement="child"><extensionElements><inputMapping source="b" target="a" /><outputMapping source="d" target="c" /></extensionElements></callActivity>""", """{"type":"call","definition":"child","input":{"a":"= b"},"result":"x_payload","next":"x_2"}""")]
    [InlineData(
        """<callActivity id="x" calledElement="child"><extensionElements><camunda:in source="line" target="a" /><camunda:in sourceExpression="${loopCounter + 1}" target="n" /></extensionElements><multiInstanceLoopCharacteristics isSequential="true" camunda:collection="lines" camunda:elementVariable="line"><completionCondition>${nrOfCompletedInstances/nrOfInstances >= 0.6}</completionCondition></multiInstanceLoopCharacteristics></callActivity>""", """{"type":"callEach","definition":"child","items":"= lines","item":"line","index":"x_number","input":{"a":"= line","n":"= ((x_number - 1) + 1)"},"maxConcurrency":1,"completionCondition":"= ((numberOfCompletedInstances / numberOfInstances) >= 0.6)","next":"e"}""")]
    [InlineData(
        """<callActivity id="x" calledElement="child" camunda:calledElementBinding="version" camunda:calledElementVersion="3" />""", """{"type":"call","definition":"child","version":3,"next":"e"}""")]
    public void Element_becomes_a_step(string element, string expected)
    {
        var steps = BpmnText.Steps(
            BpmnText.Around(element, element.Contains("\"k\"", StringComparison.Ordinal) ? Keyed : Beside));

        Assert.True(JsonNode.DeepEquals(JsonNode.Parse(expected), steps["x"]), steps.ToJsonString());
    }

    [Theory]
    [InlineData("${x > 5}", "= (x > 5)")]
    [InlineData("${status == 'done'}", "= (status = \"done\")")]
    [InlineData("${!ok}", "= not(ok = true)")]
    [InlineData("${a && b || !(c le 2)}", "= ((a and b) or not((c <= 2) = true))")]
    [InlineData("${(a > 5) == false}", "= (coalesce((a > 5), false) = false)")]
    [InlineData("#{order.total - 1.5 ge -2 and order.note ne null}",
        "= (((order.total - 1.5) >= (-2)) and (order.note != null))")]
    [InlineData("${in == \"a\\\"b\"}", "= (`in` = \"a\\\"b\")")]
    [InlineData("= upper(name) = \"ANN\"", "= upper(name) = \"ANN\"")]
    [InlineData("_context.x >= 5 && _context.y != true", "= ((x >= 5) and (y != true))")]
    public void Condition_is_translated(string condition, string expected)
    {
        var steps = Decision(condition);

        Assert.Equal(expected, steps["g"]!["cases"]![0]!["when"]!.ToString());
        BpmnText.Leads(steps, "g", "a b");
    }

    [Theory]
    [InlineData("${!(amount > 100)}"), InlineData("${!(a && amount > 100)}"), InlineData("${not (a or b)}")]
    [InlineData("${(amount > 5) == false}"), InlineData("${true != (amount > 5)}"),
        InlineData("_context.a == 1 || !(_context.amount > 100)")]
    public void Comparison_with_a_null_variable_is_false(string condition) =>
        Assert.True(Compiled(Decision(condition)["g"]!["cases"]![0]!["when"]!)
            .Evaluate(new Dictionary<string, global::Workflow.Abstractions.Value>()).IsTrue);

    [Theory]
    [InlineData("false"), InlineData("0"), InlineData(" 0 ")]
    public void Flag_is_read_in_each_way_in_which_xml_writes_it(string no)
    {
        var yes = no.Replace("false", "true", StringComparison.Ordinal).Replace('0', '1');
        var steps = BpmnText.Steps(BpmnText.Process($"""
            <startEvent id="s" /><userTask id="x" /><endEvent id="e" /><endEvent id="on" />
            <boundaryEvent id="b" attachedToRef="x" cancelActivity="{no}"><messageEventDefinition messageRef="k" /></boundaryEvent>
            <boundaryEvent id="t" attachedToRef="x" cancelActivity="{yes}"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent>
            """ + BpmnText.Flows("s>x x>e b>on t>on"), Keyed)
            .Replace("isExecutable=\"true\"", $"isExecutable=\"{yes}\"", StringComparison.Ordinal));

        Assert.False(steps["x"]!["boundary"]![0]!["interrupting"]!.GetValue<bool>());
        BpmnText.Leads(steps, "x", "x_2 on");
    }

    [Fact]
    public void Assignments_see_what_those_before_them_have_assigned()
    {
        var steps = BpmnText.Steps(BpmnText.Around(
            """<scriptTask id="x" scriptFormat="csharp"><script>_context.a = 1; _context.b = 2; // done&#10; _context.a = _context.a + _context.b</script></scriptTask>"""));

        Assert.Equal("""{"a":1,"b":2}""", steps["x"]!["values"]!.ToJsonString());
        Assert.Equal("= (a + b)", steps["x_2"]!["values"]!["a"]!.ToString());
        BpmnText.Leads(steps, "x", "x_2");
        BpmnText.Leads(steps, "x_2", "e");
    }

    [Fact]
    public void Text_is_joined_as_in_csharp_whatever_the_other_side_is()
    {
        var steps = BpmnText.Steps(BpmnText.Around(
            """<scriptTask id="x" scriptFormat="csharp"><script>_context.a = "n: " + _context.n; _context.b = "more: " + (_context.n &gt; 3)</script></scriptTask>"""));

        string Of(global::Workflow.Abstractions.Value n, string variable = "a") =>
            Compiled(steps["x"]!["values"]![variable]!)
            .Evaluate(new Dictionary<string, global::Workflow.Abstractions.Value> { ["n"] = n }).AsString();
        Assert.Equal("n: 5", Of(global::Workflow.Abstractions.Value.From(5m)));
        Assert.Equal("n: True", Of(global::Workflow.Abstractions.Value.From(true)));
        Assert.Equal("n: ", Of(global::Workflow.Abstractions.Value.Null));
        Assert.Equal("n: x", Of(global::Workflow.Abstractions.Value.From("x")));
        Assert.Equal("more: True", Of(global::Workflow.Abstractions.Value.From(5m), "b"));
        Assert.Equal("more: False", Of(global::Workflow.Abstractions.Value.Null, "b"));
    }

    private static JsonObject Decision(string condition) => BpmnText.Steps(BpmnText.Process($"""
        <startEvent id="s" /><exclusiveGateway id="g" default="g_b" /><endEvent id="a" /><endEvent id="b" />
        <sequenceFlow id="f" sourceRef="g" targetRef="a"><conditionExpression>{System.Security.SecurityElement.Escape(condition)}</conditionExpression></sequenceFlow>
        """ + BpmnText.Flows("s>g g>b")));

    private static global::Workflow.Abstractions.Expressions.Expression Compiled(JsonNode expression)
    {
        var text = expression.ToString();
        Assert.True(
            global::Workflow.Abstractions.Expressions.ExpressionCompiler.TryCompile(text, out var compiled, out _));
        return compiled;
    }

    [Fact]
    public void Result_becomes_the_variables_that_the_process_names()
    {
        var steps = BpmnText.Steps(BpmnText.Process(
            """<startEvent id="s" /><userTask id="x" /><scriptTask id="y"><script>c = a + b</script></scriptTask><endEvent id="e" />"""
            + BpmnText.Flows("s>x x>y y>e")));

        Assert.Equal(
            """{"a":"= coalesce(x_payload.a, a)","b":"= coalesce(x_payload.b, b)","c":"= coalesce(x_payload.c, c)"}""",
            steps["x_2"]!["values"]!.ToJsonString());
        Assert.Equal("""{"a":"= a","b":"= b","c":"= c"}""", steps["e"]!["output"]!.ToJsonString());
    }

    [Theory]
    [InlineData(
        "order-camunda7.bpmn", "order-7", """{"total":"= coalesce(price_payload.amount, ((quantity * 12.5)))"}""")]
    [InlineData(
        "order-camunda8.bpmn", "order-8", """{"total":"= coalesce(price_payload.amount, (quantity * 12.5))"}""")]
    public void Both_Camundas_map_data_in_their_way(string file, string name, string mapped)
    {
        var definition =
            Assert.Single(BpmnImporter.Import(Fixtures.Read("bpmn", file), cancellationToken: Cancel).Definitions);
        var steps = JsonNode.Parse(definition.Json)!["steps"]!.AsObject();

        Assert.Equal(name, definition.Name);
        Assert.Equal(
            "= quantity * 12.5", steps["price"]!["input"]!["amount"]!.ToString().Replace("(", "").Replace(")", ""));
        Assert.Equal("= quantity", steps["price"]!["input"]!["quantity"]!.ToString());
        Assert.Contains(steps, step => step.Value!["values"]?.ToJsonString() == mapped);
        Assert.Equal("= manager", steps["approve"]!["assignee"]!.ToString());
    }

    [Fact]
    public void Ends_terminate_fail_or_publish()
    {
        var steps = BpmnText.Steps(BpmnText.Process($"""
            <startEvent id="s" /><exclusiveGateway id="g" default="g_d" />
            <sequenceFlow id="1" sourceRef="g" targetRef="a"><conditionExpression>= x = 1</conditionExpression></sequenceFlow>
            <sequenceFlow id="2" sourceRef="g" targetRef="b"><conditionExpression>= x = 2</conditionExpression></sequenceFlow>
            <sequenceFlow id="3" sourceRef="g" targetRef="c"><conditionExpression>= x = 3</conditionExpression></sequenceFlow>
            <endEvent id="a"><terminateEventDefinition /></endEvent><endEvent id="b"><errorEventDefinition errorRef="r" /></endEvent>
            <endEvent id="c"><messageEventDefinition messageRef="m" /></endEvent><endEvent id="d" />
            """ + BpmnText.Flows("s>g g>d"), Beside));

        Assert.Equal("""{"output":{"x":"= x"},"terminate":true,"type":"end"}""", steps["a"]!.ToJsonString());
        Assert.Equal(("E1", "Not paid"), (steps["b"]!["code"]!.ToString(), steps["b"]!["error"]!.ToString()));
        Assert.Equal(("paid", "c_end"), (steps["c"]!["event"]!.ToString(), steps["c"]!["next"]!.ToString()));
        BpmnText.Leads(steps, "g", "a b c d");
    }

    [Fact]
    public void Gateway_without_default_fails_where_no_condition_is_true()
    {
        var steps = BpmnText.Steps(BpmnText.Process("""
            <startEvent id="s" /><exclusiveGateway id="g" /><endEvent id="a" /><sequenceFlow id="s_g" sourceRef="s" targetRef="g" />
            <sequenceFlow id="1" sourceRef="g" targetRef="a"><conditionExpression>= x = 1</conditionExpression></sequenceFlow>
            """));

        BpmnText.Leads(steps, "g", "a g_none");
        Assert.Equal("fail", steps["g_none"]!["type"]!.ToString());
    }

    [Fact]
    public void Boundary_timer_and_error_are_the_ways_out_of_a_wait()
    {
        var steps = BpmnText.Steps(BpmnText.Process("""
            <startEvent id="s" /><serviceTask id="x" implementation="echo" /><endEvent id="e" /><endEvent id="late" /><endEvent id="failed" />
            <boundaryEvent id="t" attachedToRef="x"><timerEventDefinition><timeDuration>PT30S</timeDuration></timerEventDefinition></boundaryEvent>
            <boundaryEvent id="f" attachedToRef="x"><errorEventDefinition /></boundaryEvent>
            """ + BpmnText.Flows("s>x x>e t>late f>failed")));

        Assert.Equal("PT30S", steps["x"]!["timeout"]!.ToString());
        BpmnText.Leads(steps, "x", "e late failed");
    }

    [Fact]
    public void Event_based_gateway_waits_for_a_message_and_a_time_at_most()
    {
        var steps = BpmnText.Steps(BpmnText.Process("""
            <startEvent id="s" /><eventBasedGateway id="g" /><endEvent id="a" /><endEvent id="b" />
            <intermediateCatchEvent id="m1"><messageEventDefinition messageRef="k" /></intermediateCatchEvent>
            <intermediateCatchEvent id="t1"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>
            """ + BpmnText.Flows("s>g g>m1 g>t1 m1>a t1>b"), Keyed));

        Assert.Equal(
            """[{"correlation":"= id","next":"m1","result":"m1_payload","signal":"keyed"},{"duration":"PT1H","next":"b"}]""",
            steps["g"]!["events"]!.ToJsonString());
        BpmnText.Leads(steps, "m1", "a");
    }

    [Fact]
    public void Boundary_event_sets_variables_on_its_own_path_only()
    {
        var steps = BpmnText.Steps(BpmnText.Process("""
            <startEvent id="s" /><userTask id="x" /><endEvent id="e" /><endEvent id="on" />
            <boundaryEvent id="b" attachedToRef="x" cancelActivity="false"><messageEventDefinition messageRef="k" /></boundaryEvent>
            <boundaryEvent id="t" attachedToRef="x"><timerEventDefinition><timeDate>= due</timeDate></timerEventDefinition></boundaryEvent>
            """ + BpmnText.Flows("s>x x>e b>on t>on"), Keyed));

        Assert.Equal(
            """[{"correlation":"= id","interrupting":false,"next":"b","result":"b_payload","signal":"keyed"},{"next":"on","until":"= due"}]""",
            steps["x"]!["boundary"]!.ToJsonString());
        Assert.Equal("""{"due":"= coalesce(b_payload.due, due)","id":"= coalesce(b_payload.id, id)"}""",
            steps["b"]!["values"]!.ToJsonString());
    }

    [Fact]
    public void Error_is_caught_by_its_code()
    {
        const string Errors = """<error id="r" errorCode="E1" />""";
        const string Elements = """
            <startEvent id="s" /><serviceTask id="x" implementation="echo" /><endEvent id="e" /><endEvent id="a" />
            <boundaryEvent id="f" attachedToRef="x"><errorEventDefinition errorRef="r" /></boundaryEvent>
            """;

        var one = BpmnText.Steps(BpmnText.Process(Elements + BpmnText.Flows("s>x x>e f>a"), Errors));
        var both = BpmnText.Steps(BpmnText.Process(
            Elements + """<endEvent id="b" /><boundaryEvent id="g" attachedToRef="x"><errorEventDefinition /></boundaryEvent>""" + BpmnText.Flows("s>x x>e f>a g>b"), Errors));

        BpmnText.Leads(one, "x", "e x_caught");
        BpmnText.Leads(one, "x_caught", "a x_failed");
        Assert.Equal(
            """{"code":"= x_error.code","error":"= x_error.message","type":"fail"}""", one["x_failed"]!.ToJsonString());
        BpmnText.Leads(both, "x_caught", "a b");
        Assert.Equal("= x_error.code = \"E1\"", both["x_caught"]!["cases"]![0]!["when"]!.ToString());
    }

    [Fact]
    public void Message_start_starts_on_the_signal_of_that_name()
    {
        var definition = JsonNode.Parse(BpmnText.Import(BpmnText.Process(
            """<startEvent id="s"><messageEventDefinition messageRef="k" /></startEvent><endEvent id="e" />"""
                + BpmnText.Flows("s>e"), Keyed))[0].Json)!;

        Assert.Equal("""[{"signal":"keyed"}]""", definition["startOn"]!.ToJsonString());
    }

    [Fact]
    public void Extensions_of_operaton_are_those_of_camunda_7()
    {
        const string Task = """<userTask id="x" camunda:assignee="ann" camunda:async="true" />""";
        var camunda = BpmnText.Around(Task);

        var operaton = BpmnText.Steps(
            camunda.Replace(
                "http://camunda.org/schema/1.0/bpmn", "http://operaton.org/schema/1.0/bpmn", StringComparison.Ordinal));

        Assert.Equal(BpmnText.Steps(camunda).ToJsonString(), operaton.ToJsonString());
        Assert.Equal("ann", operaton["x"]!["assignee"]!.ToString());
    }

    [Fact]
    public void File_of_the_web_modeler_is_one_of_camunda_8()
    {
        var xml = BpmnText.Around("""<receiveTask id="x" messageRef="k" />""", Keyed)
            .Replace("<definitions ", "<definitions camunda:diagramRelationId=\"0d6a46ee\" ", StringComparison.Ordinal);

        Assert.Equal("= id", BpmnText.Steps(xml)["x"]!["correlation"]!.ToString());
    }

    [Fact]
    public void Each_executable_process_of_a_file_is_a_definition()
    {
        var imported = BpmnText.Import($"""
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="caller" isExecutable="true"><startEvent id="s" />
            <callActivity id="x" calledElement="called" /><endEvent id="e" />{BpmnText.Flows("s>x x>e")}</process>
            <process id="called" isExecutable="true"><startEvent id="s" /><scriptTask id="x"><script>sum = price * 2</script></scriptTask>
            <endEvent id="e" />{BpmnText.Flows("s>x x>e")}</process><process id="picture" isExecutable="false" /></definitions>
            """);

        Assert.Equal(["caller", "called"], imported.Select(definition => definition.Name));
        Assert.Contains("""{"price":"= price","sum":"= sum"}""", imported[0].Json, StringComparison.Ordinal);
    }

    [Fact]
    public void Circular_calls_pass_on_the_variables_of_all()
    {
        const int Count = 150;
        var imported = BpmnText.Import(Calling(Count, i => (i + 1) % Count));

        Assert.All(
            imported,
            definition =>
                Assert.Equal(Count, JsonNode.Parse(definition.Json)!["steps"]!["c"]!["input"]!.AsObject().Count));
        Assert.Equal(Count, imported.Count);
    }

    [Fact]
    public void Process_has_the_variables_of_the_processes_it_calls()
    {
        var imported = BpmnText.Import(Calling(3, i => i + 1));

        Assert.Equal(
            [3, 2], imported.Take(2)
                .Select(definition => JsonNode.Parse(definition.Json)!["steps"]!["c"]!["input"]!.AsObject().Count));
    }

    /// <summary>Processes that each name a variable and call another, where there is one of that number.</summary>
    private static string Calling(int count, Func<int, int> called)
    {
        return $"""
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">{string.Concat(Enumerable.Range(0, count).Select(Process))}</definitions>
            """;

        string Process(int i) => $"""
            <process id="p{i}" isExecutable="true"><startEvent id="s" /><scriptTask id="x"><script>v{i} = 1</script></scriptTask><endEvent id="e" />
            {(called(i) < count ? Call(called(i)) + BpmnText.Flows("s>x x>c c>e") : BpmnText.Flows("s>x x>e"))}</process>
            """;
        static string Call(int i) => $"""<callActivity id="c" calledElement="p{i}" />""";
    }

    [Fact]
    public void Title_documentation_and_place_survive()
    {
        var definition = JsonNode.Parse(BpmnText.Import(BpmnText.Around(
            """<scriptTask id="x" name="= Add up"><documentation>  Why. </documentation><script>a = 1</script></scriptTask>"""))[0].Json)!;

        var step = definition["steps"]!["x"]!;
        Assert.Equal(("= Add up", "Why."), (step["title"]!.ToString(), step["documentation"]!.ToString()));
        Assert.Equal("""{"element":"x","line":4}""", step["source"]!.ToJsonString());
        Assert.Equal("""{"element":"p","line":3}""", definition["source"]!.ToJsonString());
    }

    [Fact]
    public void Other_version_is_the_same_definition() =>
        Assert.Equal(
            7, JsonNode.Parse(
                BpmnText.Import(BpmnText.Around(BpmnText.Tasks("x")))[0]
                    .WithVersion(7, new Dictionary<string, int>()))!["version"]!.GetValue<int>());
}
