namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class InstanceRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Start_answers_with_id_state_and_place()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));

        using var response = await fixture.Http.PostAsync(
            "/instances", $$$"""{"definition":"{{{name}}}","input":{"price":2,"quantity":3}}""", Cancel);

        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        using var started = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));
        var id = started.RootElement.GetProperty("id").GetGuid();
        Assert.Equal($"/instances/{id}", response.Headers.Location?.OriginalString);
        Assert.Equal("completed", started.RootElement.GetProperty("state").GetString());
        var view = await fixture.Client.FindInstanceAsync(id, Cancel);
        Assert.Equal(6, view?.Output?.GetProperty("total").GetDecimal());
    }

    [Fact]
    public async Task Instance_shows_its_waits_and_its_history()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var started = await StartAsync(name, "history-1", correlationKey: "history-1");
        var waiting = await fixture.Client.FindInstanceAsync(started.Id, Cancel);
        var wait = Assert.Single(waiting!.Waits);
        Assert.Equal(("signal", "resume", "history-1"), (wait.Kind, wait.Name, wait.CorrelationKey));

        await fixture.Client
            .SignalAsync(new SendSignal { Name = "resume", CorrelationKey = "history-1" }, cancellationToken: Cancel);

        Assert.Equal(InstanceState.Completed, (await fixture.Client.FindInstanceAsync(started.Id, Cancel))?.State);
        var history = await fixture.Client.GetHistoryAsync(started.Id, Cancel);
        Assert.Equal("started", history[0].Event);
        Assert.Equal("completed", history[^1].Event);
    }

    [Fact]
    public async Task Start_repeated_with_its_key_has_one_effect()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var key = Guid.NewGuid().ToString();

        var first = await StartAsync(name, "once", key);
        var again = await StartAsync(name, "once", key);
        var other = await Assert.ThrowsAsync<WorkflowApiException>(() => StartAsync(name, "twice", key));

        Assert.Equal((first.Id, false, true), (again.Id, first.Duplicate, again.Duplicate));
        Assert.Equal((HttpStatusCode.UnprocessableEntity, "idempotency-conflict"), (other.Status, other.Code));
        Assert.Single((await fixture.Client.ListInstancesAsync(name, cancellationToken: Cancel)).Items);
    }

    [Fact]
    public async Task Repeated_start_is_answered_with_the_present_state()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var (key, correlation) = (Guid.NewGuid().ToString(), SampleDefinitions.NewName());

        var first = await StartAsync(name, correlation, key);
        await fixture.Client.SignalAsync(
            new SendSignal { Name = "resume", CorrelationKey = correlation }, cancellationToken: Cancel);
        var again = await StartAsync(name, correlation, key);

        Assert.Equal((first.Id, InstanceState.Waiting), (again.Id, first.State));
        Assert.Equal((true, InstanceState.Completed), (again.Duplicate, again.State));
    }

    [Fact]
    public async Task Instances_are_listed_in_pages_and_by_state_and_key()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        for (var i = 0; i < 5; i++)
        {
            await StartAsync(name, $"{name}-{i}", correlationKey: $"{name}-{i}");
        }

        await fixture.Client
            .SignalAsync(new SendSignal { Name = "resume", CorrelationKey = $"{name}-0" }, cancellationToken: Cancel);
        var first = await fixture.Client.ListInstancesAsync(name, limit: 3, cancellationToken: Cancel);
        var second =
            await fixture.Client.ListInstancesAsync(name, after: first.Next, limit: 3, cancellationToken: Cancel);

        Assert.Equal([3, 2], [first.Items.Count, second.Items.Count]);
        Assert.Null(second.Next);
        Assert.Equal(5, first.Items.Concat(second.Items).Select(i => i.Id).Distinct().Count());
        Assert.Equal(
            4, (await fixture.Client
                .ListInstancesAsync(name, InstanceState.Waiting, cancellationToken: Cancel)).Items.Count);
        Assert.Equal($"{name}-0", Assert.Single(
            (await fixture.Client
                .ListInstancesAsync(name, InstanceState.Completed, cancellationToken: Cancel)).Items).CorrelationKey);
        Assert.Single(
            (await fixture.Client.ListInstancesAsync(correlationKey: $"{name}-3", cancellationToken: Cancel)).Items);
        var now = TimeProvider.System.GetUtcNow();
        var (before, after) = (now.AddMinutes(-5), now.AddMinutes(5));
        Assert.Equal(5,
            (await fixture.Client.ListInstancesAsync(
                name, startedFrom: before, startedTo: after, cancellationToken: Cancel)).Items.Count);
        Assert.Empty(
            (await fixture.Client.ListInstancesAsync(name, startedFrom: after, cancellationToken: Cancel)).Items);
        Assert.Empty(
            (await fixture.Client.ListInstancesAsync(name, startedTo: before, cancellationToken: Cancel)).Items);
    }

    [Fact]
    public async Task Unknown_definition_and_version_are_named()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));

        using var definition = await fixture.Http.PostAsync("/instances", """{"definition":"nobody"}""", Cancel);
        using var version =
            await fixture.Http.PostAsync("/instances", $$"""{"definition":"{{name}}","version":7}""", Cancel);

        await Answer.IsProblemAsync(definition, 404, "definition-not-found", "nobody", "POST /definitions");
        await Answer.IsProblemAsync(version, 404, "definition-not-found", name, "7");
    }

    [Fact]
    public async Task Action_that_the_state_does_not_allow_is_a_conflict()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var id = (await fixture.Client
            .StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel)).Id;
        Assert.Equal([new InstanceToken("wait", 0)], (await fixture.Client.FindInstanceAsync(id, Cancel))!.Tokens);
        using var ofFailed = await PostAsync(id, "suspend");
        var variables = JsonSerializer.SerializeToElement(new { key = name });

        Assert.Equal(new(id, InstanceState.Waiting, Duplicate: false),
            await fixture.Client.RetryAsync(id, variables, name, Cancel));
        Assert.Equal(new(id, InstanceState.Waiting, Duplicate: true),
            await fixture.Client.RetryAsync(id, variables, name, Cancel));
        using var ofWaiting = await PostAsync(id, "retry");
        Assert.Equal(new(id, InstanceState.Suspended, Duplicate: false),
            await fixture.Client.SuspendAsync(id, cancellationToken: Cancel));
        using var ofSuspended = await PostAsync(id, "retry");
        var listed = await fixture.Client.ListInstancesAsync(name, InstanceState.Suspended, cancellationToken: Cancel);
        Assert.Equal(id, Assert.Single(listed.Items).Id);
        await fixture.Client.SignalAsync(
            new SendSignal { Name = "resume", CorrelationKey = name, Payload = variables }, cancellationToken: Cancel);
        await Eventually.BecomesAsync(
            () => fixture.Client.FindInstanceAsync(id, Cancel), view => view!.Waits is [{ Ended: true }],
            _ => "the signal");
        Assert.Equal(new(id, InstanceState.Completed, Duplicate: false),
            await fixture.Client.ResumeAsync(id, cancellationToken: Cancel));
        using var ofCompleted = await PostAsync(id, "resume");
        using var ofNobody = await PostAsync(Guid.NewGuid(), "resume");

        await Answer.IsProblemAsync(
            ofFailed, 409, "instance-state", id.ToString(), "failed", $"POST /instances/{id}/retry");
        await Answer.IsProblemAsync(ofWaiting, 409, "instance-state", "waiting", "Only a failed instance");
        await Answer.IsProblemAsync(ofSuspended, 409, "instance-state", "suspended", $"POST /instances/{id}/resume");
        await Answer.IsProblemAsync(ofCompleted, 409, "instance-state", "completed", $"GET /instances/{id}");
        await Answer.IsProblemAsync(ofNobody, 404, "instance-not-found");
    }

    [Theory]
    [InlineData("[]", "an array"), InlineData("{\"variable\":{}}", "'variable'"),
        InlineData("{\"variables\":[1]}", "an object")]
    public async Task Bad_body_of_a_retry_is_named(string body, string named)
    {
        using var response = await fixture.Http.PostAsync($"/instances/{Guid.NewGuid()}/retry", body, Cancel);

        await Answer.IsProblemAsync(response, 400, "body-invalid", named);
    }

    [Theory]
    [InlineData(""), InlineData("/history")]
    public async Task Unknown_instance_and_malformed_id_are_distinguished(string suffix)
    {
        var nobody = Guid.NewGuid();

        using var unknown =
            await fixture.Http.GetAsync(new Uri($"/instances/{nobody}{suffix}", UriKind.Relative), Cancel);
        using var malformed =
            await fixture.Http.GetAsync(new Uri($"/instances/not-an-id{suffix}", UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(unknown, 404, "instance-not-found", nobody.ToString());
        await Answer.IsProblemAsync(malformed, 400, "malformed-id", "not-an-id");
    }

    [Theory]
    [InlineData("state=sleeping", "sleeping", "running, waiting, suspended, completed, failed, cancelled")]
    [InlineData("state=1", "1", "running")]
    [InlineData("state=running,waiting", "running,waiting", "running")]
    [InlineData("limit=0", "0", "1 to 1000")]
    [InlineData("limit=1001", "1001", "1 to 1000")]
    [InlineData("limit=many", "many", "1 to 1000")]
    [InlineData("after=yesterday", "yesterday", "instance id")]
    [InlineData("startedFrom=2026-01-31T12:00:00", "2026-01-31T12:00:00", "2026-01-31T12:00:00Z")]
    [InlineData("startedTo=yesterday", "yesterday", "2026-01-31T12:00:00Z")]
    [InlineData("stat=running", "stat", "definition, state, correlationKey, startedFrom, startedTo, after, limit")]
    public async Task Bad_query_names_parameter_value_and_what_is_allowed(string query, string value, string allowed)
    {
        using var response = await fixture.Http.GetAsync(new Uri($"/instances?{query}", UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(response, 400, "query-invalid", value, allowed);
    }

    [Fact]
    public async Task Keys_that_are_too_long_are_refused()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        using var request =
            new HttpRequestMessage(
                HttpMethod.Post, "/instances") { Content = Answer.Json($$"""{"definition":"{{name}}"}""") };
        request.Headers.Add("Idempotency-Key", new string('k', 257));

        using var idempotency = await fixture.Http.SendAsync(request, Cancel);
        using var correlation = await fixture.Http.PostAsync(
            "/instances", $$"""{"definition":"{{name}}","correlationKey":"{{new string('c', 513)}}"}""", Cancel);

        await Answer.IsProblemAsync(idempotency, 400, "header-invalid", "Idempotency-Key", "257", "256");
        await Answer.IsProblemAsync(correlation, 400, "invalid-command", "512");
    }

    private Task<HttpResponseMessage> PostAsync(Guid id, string action) =>
        fixture.Http.PostAsync(new Uri($"/instances/{id}/{action}", UriKind.Relative), null, Cancel);

    private Task<InstanceStarted> StartAsync(
        string definition, string key, string? idempotencyKey = null, string? correlationKey = null) =>
        fixture.Client.StartAsync(
            new StartInstance { Definition = definition, Input = JsonSerializer.SerializeToElement(
                new { key }), CorrelationKey = correlationKey }, idempotencyKey, Cancel);
}
