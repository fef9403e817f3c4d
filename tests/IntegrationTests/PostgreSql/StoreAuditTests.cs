namespace IntegrationTests.PostgreSql;

/// <summary>Finds what a run must not leave behind, and nothing else.</summary>
[Trait("Category", "Integration")]
public sealed class StoreAuditTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    private const string Definition =
        """
        { "name": "waits", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "timeout": "PT1H", "onTimeout": "pause", "next": "pause" },
          "pause": { "type": "delay", "duration": "PT1H", "next": "done" }, "done": { "type": "end" } } }
        """;

    private const string Calling =
        """
        { "name": "calls", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "check", "call" ], "join": "both" },
          "check": { "type": "task", "next": "both" },
          "call": { "type": "call", "definition": "pauses", "next": "both" },
          "both": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
        """;

    private const string Pausing =
        """
        { "name": "pauses", "version": 1, "start": "pause", "steps": { "pause": { "type": "delay", "duration": "PT1H", "next": "done" }, "done": { "type": "end" } } }
        """;

    [Fact]
    public async Task Instances_that_wait_for_a_reason_break_no_rule()
    {
        var options = await LeaveBehindAsync();

        var broken = await PostgresAudit.CountAsync(options, Cancel);

        Assert.Equal(
        [
            "duplicateTasks", "orphanChildren", "orphanSubscriptions", "orphanTasks", "undeliveredMessages",
            "undeliveredSignals", "unexplainedInstances",
        ], broken.Keys.Order());
        Assert.All(broken, rule => Assert.Equal(0, rule.Value));
    }

    [Theory]
    [InlineData("unexplainedInstances", "update {0}.instances set body = '{{\"v\":{{}},\"h\":0}}' where correlation_key = 'a'")]
    [InlineData("unexplainedInstances",
        "update {0}.instances set body = regexp_replace(body, '\"d\":[0-9]+', '\"d\":638000000000000000') where correlation_key = 'a'")]
    [InlineData("unexplainedInstances", "update {0}.instances set "
        + "body = '{{\"v\":{{}},\"w\":[{{\"i\":\"x\",\"s\":\"s\",\"k\":2,\"c\":0,\"n\":\"echo\",\"p\":1}}],\"h\":0}}', state = 0 where "
        + "correlation_key = 'a'")]
    [InlineData("unexplainedInstances", "update {0}.tasks set state = 2")]
    [InlineData("unexplainedInstances", "delete from {0}.instances where definition = 'pauses'")]
    [InlineData("orphanTasks", "insert into {0}.tasks select gen_random_uuid(), 0, gen_random_uuid(), definition, 1, null, step, 0, null, "
        + "groups, null, now(), now(), null from {0}.tasks")]
    [InlineData("duplicateTasks", "insert into {0}.tasks select gen_random_uuid(), 0, instance_id, definition, 1, null, step, 0, null, "
        + "groups, null, now(), now(), null from {0}.tasks")]
    [InlineData("orphanChildren", "update {0}.instances set body = regexp_replace(body, '\"p\":\"[^\"]+\"', '\"p\":\"' || "
        + "gen_random_uuid() || '\"') where definition = 'pauses'")]
    [InlineData("undeliveredSignals",
        "insert into {0}.pending values (gen_random_uuid(), 0, 0, 1, '{{\"n\":\"go\",\"y\":\"a\"}}')")]
    [InlineData("undeliveredSignals", "insert into {0}.pending values (gen_random_uuid(), 0, 0, 1, "
        + "'{{\"n\":\"go\",\"i\":\"' || gen_random_uuid() || '\"}}')")]
    [InlineData("undeliveredSignals", "insert into {0}.pending values (gen_random_uuid(), 0, 0, 1, "
        + "'{{\"n\":\"later\",\"y\":\"x\",\"d\":' || to_json(now() - interval '1 minute') || '}}')")]
    [InlineData("undeliveredMessages", "insert into {0}.pending values (gen_random_uuid(), 0, 2, 1, '')")]
    [InlineData("orphanSubscriptions", "insert into {0}.pending values (gen_random_uuid(), 0, 1, 1, '')")]
    public async Task Row_without_a_reason_is_counted_under_the_rule_it_breaks(string rule, string damage)
    {
        var options = await LeaveBehindAsync();
        var statement = string.Format(System.Globalization.CultureInfo.InvariantCulture, damage, options.Schema);
        Assert.Equal(1, await Statements.ScalarAsync(options.ConnectionString, $"{statement} returning 1"));

        var broken = await PostgresAudit.CountAsync(options, Cancel);

        Assert.Equal(1, broken[rule]);
        Assert.Equal(1, broken.Values.Sum());
    }

    /// <summary>
    /// One instance waits for a task and a sub-workflow, one for a signal and an hour, one for an hour, one subscribes
    /// across partitions; a signal is buffered and one is delayed.
    /// </summary>
    private async Task<PostgresStoreOptions> LeaveBehindAsync()
    {
        var options = await stores.OptionsAsync(Cancel);
        await using var engine = await EngineSession.StartAsync(new PostgresStore(options), new() { Lanes = 3 });
        await engine.RegisterAsync(Definition);
        await engine.RegisterAsync(Pausing);
        await engine.RegisterAsync(Calling);
        await engine.StartAsync("calls");
        await engine.StartAsync("waits", """{ "id": "a" }""", "a");
        await engine.StartAsync("waits", """{ "id": "b" }""", "b");
        await Task.WhenAll(Enumerable.Range(0, 6).Select(i => engine.StartAsync("waits", $$"""{ "id": "far{{i}}" }""", $"elsewhere{i}")));
        await engine.SignalAsync("go", "b");
        await engine.SignalAsync("go", "nobody");
        await engine.SignalAsync("go", "a later one", dueAt: TimeProvider.System.GetUtcNow().AddHours(1));
        await engine.IdleAsync();
        return options;
    }
}
