namespace UnitTests.Workflow.Bpmn;

/// <summary>FEEL in the places of a file that have it.</summary>
public sealed class BpmnFeelTests
{
    private const string Script = """
        <scriptTask id="x"><extensionElements><zeebe:script expression="= {net: price * count, gross: net * 1.2}" resultVariable="sum" /></extensionElements></scriptTask>
        """;

    private const string Mapped = """
        <serviceTask id="x"><extensionElements><zeebe:taskDefinition type="give" /><zeebe:ioMapping>
        <zeebe:input source="= price * 2" target="base" /><zeebe:input source="= {net: base + 1, gross: net + base}" target="gives" />
        <zeebe:output source="= {net: gross, twice: net * 2, all: {gross: net, base: base + gross}}" target="sum" />
        </zeebe:ioMapping></extensionElements></serviceTask>
        """;

    private const string Looped = """
        <subProcess id="x"><multiInstanceLoopCharacteristics><extensionElements>
        <zeebe:loopCharacteristics inputCollection="= [{a: price, b: a + 1}]" inputElement="line" outputCollection="sum" outputElement="= {net: own, gross: net + line.b}" />
        </extensionElements></multiInstanceLoopCharacteristics><startEvent id="x_s" /><scriptTask id="y"><script>own = line.a * 10</script></scriptTask>
        <sequenceFlow id="x_y" sourceRef="x_s" targetRef="y" /></subProcess>
        """;

    private const string Raised = """
        <scriptTask id="x"><script>
        first = {net: price, all: [net, {net: net + 1, gross: net}]}
        sum = {price: first.net + 1, gross: price}
        </script></scriptTask>
        """;

    [Theory]
    [InlineData(Script, """{"gross":36.0,"net":30}""")]
    [InlineData(Mapped, """{"all":{"base":61,"gross":41},"net":41,"twice":82}""")]
    [InlineData(Looped, """[{"gross":111,"net":100}]""")]
    [InlineData(Raised, """{"gross":11,"price":11}""")]
    public async Task Context_entry_sees_the_entries_before_it(string element, string expected)
    {
        await using var run = await BpmnRun.StartAsync(
            element + """<startEvent id="s" /><endEvent id="e" />""" + BpmnText.Flows("s>x x>e"),
            """{ "price": 10, "count": 3, "net": 1000, "gross": 1000, "own": 1000 }""");

        Assert.Equal(Value.Parse(expected), Value.Parse((await run.OutputAsync())["sum"]!.ToJsonString()));
    }

    [Fact]
    public void Context_entry_is_not_a_process_variable()
    {
        var steps = BpmnText.Steps(BpmnText.Around(Script));

        Assert.Equal("""{"count":"= count","price":"= price","sum":"= sum"}""", steps["e"]!["output"]!.ToJsonString());
    }

    [Fact]
    public void Entry_that_would_hide_a_variable_that_is_put_in_is_refused()
    {
        var finding = Assert.Single(BpmnText.Findings(BpmnText.Around("""
            <serviceTask id="x"><extensionElements><zeebe:taskDefinition type="give" /><zeebe:ioMapping>
            <zeebe:input source="= net * 2" target="a" /><zeebe:input source="= {net: 1, x: a}" target="b" />
            </zeebe:ioMapping></extensionElements></serviceTask>
            """)));

        Assert.Contains("hides the variable 'net'", finding.Message, StringComparison.Ordinal);
        Assert.Equal(BpmnText.FirstLine + 1, finding.Line);
    }

    [Theory]
    [InlineData("= date and time(start)", "Unknown function 'date and time'"),
        InlineData("= orders[paid = true]", "Filters are not supported")]
    [InlineData("= prices[item]", "'item' is each item of the list"),
        InlineData("= 1 + orders[-item.place].id", "'item' is each item of the list")]
    [InlineData("= for o in orders return o.id", "'for'"),
        InlineData("= substring before(a, \",\")", "'substring before'")]
    public void What_is_not_here_is_refused_at_import_by_its_name(string source, string part)
    {
        var script = $"""
            <scriptTask id="x"><extensionElements><zeebe:script expression="{source.Replace("\"", "&quot;", StringComparison.Ordinal)}" resultVariable="r" /></extensionElements></scriptTask>
            """;

        Assert.Contains(
            part, Assert.Single(BpmnText.Findings(BpmnText.Around(script))).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Zoë"), InlineData("😀 <b> & 'x'")]
    public void Constant_of_another_language_keeps_its_characters(string text)
    {
        var script = $"""
            <scriptTask id="x" scriptFormat="csharp"><script>_context.t = "{text.Replace("&", "&amp;", StringComparison.Ordinal).Replace("<", "&lt;", StringComparison.Ordinal)}" + a</script></scriptTask>
            """;

        Assert.Contains($"\"{text}\" + ", BpmnText.Steps(BpmnText.Around(script))["x"]!["values"]!["t"]!.ToString(),
            StringComparison.Ordinal);
    }
}
