using static UnitTests.Workflow.Bpmn.BpmnText;

namespace UnitTests.Workflow.Bpmn;

/// <summary>Conditions on flows that give neither true nor false: nothing is taken, the default flow neither.</summary>
public sealed class BpmnConditionTests
{
    [Theory]
    [InlineData("exclusiveGateway", "{}", "gave null: there is no variable 'amount'")]
    [InlineData("exclusiveGateway", """{ "amount": "200" }""", "gave null")]
    [InlineData("inclusiveGateway", "{}", "gave null: there is no variable 'amount'")]
    public async Task Gateway_without_true_or_false_takes_no_flow(string gateway, string input, string message)
    {
        await using var run = await BpmnRun.StartAsync($"""
            <startEvent id="s" /><endEvent id="e" /><{gateway} id="g" default="g_b" />{Flow("g", "a", "amount > 100")}
            """ + Marks("a b") + Flows("s>g g>b a>e b>e"), input);

        Assert.Contains($"Step 'g' needs true or false for 'when', but = amount > 100 {message}",
            (await run.FailedAsync()).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("${amount > 100}"), InlineData("${amount == 100}"), InlineData("#{paid}")]
    public async Task Condition_in_another_language_decides_nothing_either(string condition)
    {
        await using var run = await BpmnRun.StartAsync("""
            <startEvent id="s" /><endEvent id="e" /><exclusiveGateway id="g" default="g_b" />
            """ + Flow("g", "a", "x").Replace("= x", condition, StringComparison.Ordinal) + Marks("a b")
            + Flows("s>g g>b a>e b>e"),
            """{ "amount": "100", "paid": "yes" }""", "<message id=\"k\" name=\"k\" />");

        Assert.Contains("'g' needs true or false", (await run.FailedAsync()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Condition_on_a_flow_out_of_a_task_names_the_task()
    {
        await using var run = await BpmnRun.StartAsync("""
            <startEvent id="s" /><endEvent id="e" /><scriptTask id="work" default="work_b"><script>t = "w"</script></scriptTask>
            """ + Flow("work", "a", "go") + Marks("a b") + Flows("s>work work>b a>e b>e"), "{}");

        Assert.Contains(
            "Step 'work_choice' (element 'work') needs true or false for 'when', "
                + "but = go gave null: there is no variable 'go'",
            (await run.FailedAsync()).Message, StringComparison.Ordinal);
    }
}
