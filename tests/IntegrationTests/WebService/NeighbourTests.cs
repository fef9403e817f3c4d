using System.Net.Http.Json;

namespace IntegrationTests.WebService;

/// <summary>
/// No input hurts a neighbour: on one lane that all share, a bad command ends alone and at once with a clear error, a
/// start beside it is answered in time, no flush fails, and no lane is read again from the store.
/// </summary>
[Trait("Category", "Integration")]
public sealed class NeighbourTests(BackendFixture backends, OneLaneServices services)
    : OneLaneServiceTests(backends), IClassFixture<OneLaneServices>
{
    private string _neighbour = "";

    [Theory]
    [InlineData("Memory"), InlineData("Postgres")]
    public async Task Signal_due_at_the_end_of_time_is_refused_by_its_member(string provider)
    {
        await StartServiceAsync(provider);

        using var response = await PostAsync(
            "/signals", """{ "name": "go", "correlationKey": "k", "dueAt": "9999-12-31T23:59:59Z" }""");

        await Answer.IsProblemAsync(response, 400, "invalid-command", "'dueAt'", "9000-01-01T00:00:00Z");
        await AssertNeighbourIsServedAsync();
    }

    [Theory]
    [InlineData(
        "Memory", """{ "type": "waitSignal", "signal": "go", "correlation": "= zero", "next": "done" }""", "U+0000")]
    [InlineData(
        "Postgres", """{ "type": "waitSignal", "signal": "go", "correlation": "= zero", "next": "done" }""", "U+0000")]
    [InlineData("Postgres", """{ "type": "task", "groups": [ "= b", "= b", "= b", "= b", "= b" ], "next": "done" }""",
        "'groups'")]
    [InlineData("Postgres", """{ "type": "delay", "until": "= late", "next": "done" }""", "'until'")]
    public async Task Computed_value_that_no_store_keeps_fails_its_instance_alone(
        string provider, string step, string words)
    {
        await StartServiceAsync(provider);
        var name = SampleDefinitions.NewName();

        await Service.Client.RegisterDefinitionAsync(SampleDefinitions.Step(name, step), Cancel);

        var bad = Enumerable.Range(0, 8).Select(_ => StartAsync(
            name, $$"""{ "zero": "a\u0000b", "late": "9999-12-31T23:59:59Z", "b": "{{new string('x', 900_000)}}" }"""));
        var started = await Task.WhenAll(bad).WaitAsync(Eventually.Deadline, Cancel);

        Assert.All(started, one => Assert.Equal(InstanceState.Failed, one.State));
        AssertHolds(
            (await Service.Client.FindInstanceAsync(started[0].Id, Cancel))?.Error?.Message, "Step 'step'", words);
        await AssertNeighbourIsServedAsync();
    }

    [Theory]
    [InlineData("Postgres", """{ "type": "set", "values": { "y": "= concat(x, [1])" }, "next": "again" }""")]
    [InlineData("Postgres", """{ "type": "set", "values": { "y": "= sum(x)" }, "next": "again" }""")]
    [InlineData("Postgres", """{ "type": "raise", "event": "E", "payload": "= x", "next": "again" }""")]
    [InlineData("Postgres", """{ "type": "call", "definition": "NAME", "input": { "x": "= x" }, "next": "again" }""")]
    public async Task Start_with_endless_expressions_fails_alone(string provider, string step)
    {
        await StartServiceAsync(provider);
        var name = SampleDefinitions.NewName();
        await Service.Client.RegisterDefinitionAsync($$"""
            { "name": "{{name}}", "version": 1, "start": "step", "steps": {
              "step": {{step.Replace("NAME", name, StringComparison.Ordinal)}},
              "again": { "type": "decide", "cases": [ { "when": "= stop = true", "next": "done" } ],
                "otherwise": "step" },
              "done": { "type": "end" } } }
            """, Cancel);

        var bad = StartAsync(name, $$"""{ "x": [{{string.Join(',', Enumerable.Repeat(1, 500_000))}}] }""");
        await AssertNeighbourIsServedAsync();
        var started = await bad.WaitAsync(Eventually.Deadline, Cancel);

        Assert.Equal(InstanceState.Failed, started.State);
        AssertHolds((await Service.Client.FindInstanceAsync(started.Id, Cancel))?.Error?.Message, "MaxWorkPerCommand");
        await AssertNeighbourIsServedAsync();
    }

    [Fact]
    public async Task Signals_past_their_limit_are_refused_to_one_key_alone()
    {
        await StartServiceAsync("Memory", new Dictionary<string, string> { ["Limits:MaxSignalsPerKey"] = "3" });
        for (var i = 0; i < 3; i++)
        {
            using var kept = await PostAsync("/signals", """{ "name": "go", "correlationKey": "k" }""");
            Assert.Equal(System.Net.HttpStatusCode.Accepted, kept.StatusCode);
        }

        using var full = await PostAsync("/signals", """{ "name": "go", "correlationKey": "k" }""");
        using var other = await PostAsync("/signals", """{ "name": "go", "correlationKey": "other" }""");

        await Answer.IsProblemAsync(full, 429, "signals-full", "3 signals 'go' wait for key 'k'", "MaxSignalsPerKey");
        Assert.InRange(full.Headers.RetryAfter!.Delta!.Value.TotalSeconds, 1, 60);
        Assert.Equal(System.Net.HttpStatusCode.Accepted, other.StatusCode);
        await AssertNeighbourIsServedAsync();
    }

    [Fact]
    public async Task Endless_bodies_are_refused_and_a_neighbour_is_served()
    {
        await StartServiceAsync("Memory", new Dictionary<string, string> { ["Limits:MaxBodiesBytes"] = "1000000" });
        var large = $$"""{ "name": "go", "correlationKey": "k", "payload": "{{new string('x', 900_000)}}" }""";
        using var stop = new CancellationTokenSource();
        var slow = Enumerable.Range(0, 20).Select(_ => SendSlowlyAsync(100_000, stop.Token)).ToArray();

        await Eventually.BecomesAsync(
            async () =>
            {
                using var full = await PostAsync("/signals", large);
                return (int)full.StatusCode == 429
                    ? await Answer.IsProblemAsync(full, 429, "overloaded", "MaxBodiesBytes") : default;
            },
            problem => problem.ValueKind == JsonValueKind.Object,
            _ => "a large body refused");
        await AssertNeighbourIsServedAsync();

        await stop.CancelAsync();
        await Task.WhenAll(slow);

        // The service notices one after the other that their senders are gone.
        await Eventually.BecomesAsync(
            async () =>
            {
                using var after = await PostAsync("/signals", large);
                return after.StatusCode;
            },
            status => status == System.Net.HttpStatusCode.Accepted,
            status => $"a large body accepted once the others are gone; it was answered {status}");
    }

    /// <summary>The beginning of a body, and then nothing until it is cancelled.</summary>
    private async Task SendSlowlyAsync(int bytes, CancellationToken cancellationToken)
    {
        using var client = new System.Net.Sockets.TcpClient();
        await client.ConnectAsync(Service.BaseAddress.Host, Service.BaseAddress.Port, CancellationToken.None);
        var head =
            "POST /signals HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                + "application/json\r\nContent-Length: 900000\r\n\r\n"
            + new string(' ', bytes);
        await client.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes(head), CancellationToken.None);
        await Task.Delay(Timeout.Infinite, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    [Fact]
    public async Task Definitions_past_their_limit_are_refused()
    {
        await StartServiceAsync("Memory", new Dictionary<string, string> { ["Limits:MaxDefinitions"] = "1" });

        using var full = await PostAsync("/definitions", SampleDefinitions.Linear(SampleDefinitions.NewName()));

        await Answer.IsProblemAsync(full, 422, "definitions-full", "1 versions", "MaxDefinitions");
        await AssertNeighbourIsServedAsync();
    }

    [Theory]
    [InlineData("/instances?correlationKey=a%00b", "'correlationKey'")]
    [InlineData("/tasks?group=a%00b", "'group'")]
    public async Task Query_for_what_no_store_keeps_is_refused_by_name(string path, string named)
    {
        await StartServiceAsync("Postgres");

        using var response = await Http.GetAsync(new Uri(Service.BaseAddress, path), Cancel);

        await Answer.IsProblemAsync(response, 400, "invalid-command", named, "U+0000");
    }

    [Fact]
    public async Task Error_never_quotes_half_of_a_character()
    {
        await StartServiceAsync("Memory");

        using var response = await PostAsync(
            "/signals",
            JsonSerializer.Serialize(
                new { name = "go", correlationKey = new string('k', 31) + "😀" + new string('k', 600) }));

        await Answer.IsProblemAsync(response, 400, "invalid-command", "'correlationKey' has 633 characters");
    }

    private async Task StartServiceAsync(string provider, IReadOnlyDictionary<string, string>? settings = null)
    {
        var database = provider == "Memory" ? null : "neighbour";
        if (settings is null)
        {
            await ShareAsync(services, database);
        }
        else
        {
            await StartOnAsync(database, settings);
        }

        _neighbour = await Service.Client.RegisterNewAsync(name => SampleDefinitions.Linear(name));
        await StartAsync(_neighbour, """{ "price": 1, "quantity": 1 }""");
    }

    private async Task<InstanceStarted> StartAsync(string definition, string input)
    {
        using var response = await PostAsync(
            "/instances", $$"""{ "definition": "{{definition}}", "input": {{input}} }""");
        Assert.True(response.IsSuccessStatusCode, await response.Content.ReadAsStringAsync(Cancel));
        return (await response.Content
            .ReadFromJsonAsync<InstanceStarted>(Workflow.Contracts.ContractsJson.Default, Cancel))!;
    }

    private async Task AssertNeighbourIsServedAsync()
    {
        var started = await StartAsync(_neighbour, """{ "price": 2, "quantity": 3 }""")
            .WaitAsync(Eventually.Deadline, Cancel);
        Assert.Equal(InstanceState.Completed, started.State);
        Assert.Equal(0, await Http.MetricAsync(Service.BaseAddress, "workflow_failed_flushes_total"));
        Assert.Equal(0, await Http.MetricAsync(Service.BaseAddress, "workflow_lane_reloads_total"));
    }
}
