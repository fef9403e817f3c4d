namespace IntegrationTests.PostgreSql;

/// <summary>Finds what a run must not leave behind, and nothing else.</summary>
[Trait("Category", "Integration")]
public sealed class StoreAuditTests(PostgresStoreFixture stores) : IClassFixture<PostgresStoreFixture>
{
    private const string Definition =
        """
        { "name": "waits", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "timeout": "PT1H",
            "onTimeout": "pause", "next": "pause" },
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
        { "name": "pauses", "version": 1, "start": "pause", "steps": {
          "pause": { "type": "delay", "duration": "PT1H", "next": "done" }, "done": { "type": "end" } } }
        """;

    [Fact]
    public async Task Instances_that_wait_for_a_reason_break_no_rule()
    {
        var options = await LeaveBehindAsync();

        var broken = await PostgresAudit.CountAsync(options, Cancel);

        Assert.Equal(
        [
            "duplicateTasks", "orphanChildren", "orphanDormantWaits", "orphanSubscriptions", "orphanTasks",
            "undeliveredMessages", "undeliveredSignals", "unexplainedInstances",
        ], broken.Keys.Order());
        Assert.All(broken, rule => Assert.Equal(0, rule.Value));
    }

    [Fact]
    public async Task Row_without_a_reason_is_counted_under_the_rule_it_breaks()
    {
        (string Rule, string Damage)[] cases =
        [
            (
                "unexplainedInstances",
                "update {0}.instances set body = '{{\"v\":{{}},\"h\":0}}' where correlation_key = 'a'"),
            (
                "unexplainedInstances",
                "update {0}.instances set body = regexp_replace(body, '\"d\":[0-9]+', '\"d\":638000000000000000') "
                + "where correlation_key = 'a'"),
            (
                "unexplainedInstances",
                "update {0}.instances set body = '{{\"v\":{{}},\"w\":[{{\"i\":\"x\",\"s\":\"s\",\"k\":2,\"c\":0,"
                + "\"n\":\"echo\",\"p\":1}}],\"h\":0}}', state = 0 where correlation_key = 'a'"),
            ("unexplainedInstances", "update {0}.tasks set state = 2"),
            ("unexplainedInstances", "delete from {0}.instances where definition = 'pauses'"),
            (
                "orphanTasks",
                "insert into {0}.tasks select gen_random_uuid(), 0, gen_random_uuid(), definition, 1, null, step, 0, "
                + "null, groups, null, now(), now(), null from {0}.tasks"),
            (
                "duplicateTasks",
                "insert into {0}.tasks select gen_random_uuid(), 0, instance_id, definition, 1, null, step, 0, "
                + "null, groups, null, now(), now(), null from {0}.tasks"),
            (
                "orphanChildren",
                "update {0}.instances set body = regexp_replace(body, '\"p\":\"[^\"]+\"', "
                + "'\"p\":\"' || gen_random_uuid() || '\"') where definition = 'pauses'"),
            (
                "undeliveredSignals",
                "insert into {0}.pending values (gen_random_uuid(), 0, 0, 1, '{{\"n\":\"go\",\"y\":\"a\"}}')"),
            (
                "undeliveredSignals",
                "insert into {0}.pending values (gen_random_uuid(), 0, 0, 1, "
                + "'{{\"n\":\"go\",\"i\":\"' || gen_random_uuid() || '\"}}')"),
            (
                "undeliveredSignals",
                "insert into {0}.pending values (gen_random_uuid(), 0, 0, 1, "
                + "'{{\"n\":\"later\",\"y\":\"x\",\"d\":' || to_json(now() - interval '1 minute') || '}}')"),
            ("undeliveredMessages", "insert into {0}.pending values (gen_random_uuid(), 0, 2, 1, '')"),
            ("orphanDormantWaits", "insert into {0}.dormant_waits values (1, gen_random_uuid(), gen_random_uuid())"),
            ("orphanSubscriptions", "insert into {0}.pending values (gen_random_uuid(), 0, 1, 1, '')"),
        ];
        var options = await LeaveBehindAsync();
        await ForEachTableAsync("create table {0}.{1}_before as table {0}.{1}");
        foreach (var (rule, damage) in cases)
        {
            Assert.Equal(1, await ExecuteAsync($"{damage} returning 1"));

            var broken = await PostgresAudit.CountAsync(options, Cancel);

            Assert.True((broken[rule], broken.Values.Sum()) == (1, 1), $"{damage}: {string.Join(", ", broken)}");
            await ForEachTableAsync("delete from {0}.{1}; insert into {0}.{1} select * from {0}.{1}_before");
        }

        async Task ForEachTableAsync(string sql)
        {
            foreach (var table in new[] { "instances", "tasks", "pending", "dormant_waits" })
            {
                await ExecuteAsync(sql, table);
            }
        }

        Task<object?> ExecuteAsync(string sql, string table = "") => Statements.ScalarAsync(
            options.ConnectionString,
            string.Format(System.Globalization.CultureInfo.InvariantCulture, sql, options.Schema, table));
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
        await Task.WhenAll(
            Enumerable.Range(0, 6)
                .Select(i => engine.StartAsync("waits", $$"""{ "id": "far{{i}}" }""", $"elsewhere{i}")));
        await engine.SignalAsync("go", "b");
        await engine.SignalAsync("go", "nobody");
        await engine.SignalAsync("go", "a later one", dueAt: TimeProvider.System.GetUtcNow().AddHours(1));
        await engine.IdleAsync();
        return options;
    }
}
