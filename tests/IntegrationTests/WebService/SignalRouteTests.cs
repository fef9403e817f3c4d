namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class SignalRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Signal_by_key_resumes_the_instance_with_its_payload()
    {
        var key = Guid.NewGuid().ToString();
        var started = await StartWaitingAsync(key);

        var accepted = await fixture.Client.SignalAsync(
            new SendSignal { Name = "resume", CorrelationKey = key, Payload = Json("""{"by":[1,"ü",null,true]}""") },
            cancellationToken: Cancel);

        Assert.False(accepted.Duplicate);
        var view = await fixture.Client.FindInstanceAsync(started.Id, Cancel);
        Assert.Equal("""{"by":[1,"ü",null,true]}""", view?.Output?.GetProperty("answer").GetRawText());
    }

    [Fact]
    public async Task Signal_by_id_needs_only_the_name()
    {
        var started = await StartWaitingAsync(Guid.NewGuid().ToString());

        using var first = await fixture.Http.PostAsync(
            $"/instances/{started.Id}/signals", """{"name":"resume"}""", Cancel);
        using var second = await fixture.Http.PostAsync(
            $"/instances/{started.Id}/signals", """{"name":"resume"}""", Cancel);

        Assert.Equal(HttpStatusCode.Accepted, first.StatusCode);
        await Answer.IsProblemAsync(second, 409, "instance-finished", started.Id.ToString(), "completed", "resume");
    }

    [Fact]
    public async Task Signal_that_comes_first_is_kept_for_the_instance()
    {
        var key = Guid.NewGuid().ToString();
        var accepted = await fixture.Client.SignalAsync(
            new SendSignal { Name = "resume", CorrelationKey = key, Payload = Json("7") }, cancellationToken: Cancel);

        await using var inbox = await EventInbox.OpenAsync(fixture.Service.BaseAddress, null, Cancel);
        var started = await StartWaitingAsync(key);

        Assert.Equal((false, true), (accepted.Delivered, accepted.Kept));
        var hour = TimeSpan.FromHours(1);
        var left = accepted.KeptUntil!.Value - TimeProvider.System.GetUtcNow();
        Assert.InRange(left, hour - TimeSpan.FromMinutes(10), hour);
        await inbox.WaitForAsync(e => e.Event is InstanceCompleted && e.Event.InstanceId == started.Id, Cancel);
        Assert.Equal(
            7, (await fixture.Client.FindInstanceAsync(started.Id, Cancel))?.Output?.GetProperty("answer").GetInt32());
    }

    [Fact]
    public async Task Answer_names_the_time_only_of_a_signal_that_is_kept()
    {
        var key = Guid.NewGuid().ToString();
        var started = await StartWaitingAsync(key);

        var kept = await SendAsync("later");
        var delivered = await SendAsync("resume");

        Assert.Equal(
            ["id", "delivered", "kept", "keptUntil", "duplicate", "unreceived"],
            kept.EnumerateObject().Select(member => member.Name));
        Assert.Equal(["id", "delivered", "duplicate"], delivered.EnumerateObject().Select(member => member.Name));
        Assert.True(kept.GetProperty("keptUntil").GetDateTimeOffset() > TimeProvider.System.GetUtcNow());

        async Task<JsonElement> SendAsync(string name)
        {
            using var response = await fixture.Http.PostAsync(
                $"/instances/{started.Id}/signals", $$"""{"name":"{{name}}"}""", Cancel);
            return Json(await response.Content.ReadAsStringAsync(Cancel));
        }
    }

    [Fact]
    public async Task Signal_with_the_same_key_has_one_effect()
    {
        var key = Guid.NewGuid().ToString();
        var signal = new SendSignal { Name = "resume", CorrelationKey = key };

        var first = await fixture.Client.SignalAsync(signal, key, Cancel);
        var again = await fixture.Client.SignalAsync(signal, key, Cancel);

        Assert.Equal((first.Id, true), (again.Id, again.Duplicate));
    }

    [Fact]
    public async Task Signal_for_a_receiver_is_reported_when_it_is_due()
    {
        var key = Guid.NewGuid().ToString();
        await using var inbox = await EventInbox.OpenAsync(fixture.Service.BaseAddress, null, Cancel);
        var dueAt = TimeProvider.System.GetUtcNow().AddMilliseconds(300);

        await fixture.Client.SignalAsync(
            new SendSignal { Name = "burst", CorrelationKey = key, Payload = Json("1"), DueAt = dueAt },
            cancellationToken: Cancel);
        var received = (await inbox.WaitForAsync(e => e.Event.CorrelationKey == key, Cancel)).Event;

        var published = Assert.IsType<SignalReceived>(received);
        Assert.Equal(("burst", 1), (published.Name, published.Payload?.GetInt32()));
        Assert.True(published.Timestamps.ExecutedUtc >= dueAt,
            $"It was executed at {published.Timestamps.ExecutedUtc:O}, before it was due at {dueAt:O}.");
    }

    [Fact]
    public async Task Unknown_instance_and_malformed_id_are_named()
    {
        var nobody = Guid.NewGuid();

        using var unknown = await fixture.Http.PostAsync(
            $"/instances/{nobody}/signals", """{"name":"resume"}""", Cancel);
        using var malformed = await fixture.Http.PostAsync("/instances/17/signals", """{"name":"resume"}""", Cancel);

        await Answer.IsProblemAsync(unknown, 404, "instance-not-found", nobody.ToString());
        await Answer.IsProblemAsync(malformed, 400, "malformed-id", "'17'");
    }

    [Theory]
    [InlineData("""{"name":"resume"}""", "correlationKey")]
    [InlineData("""{"correlationKey":"k"}""", "name")]
    [InlineData("""{"name":"resume","correlationKey":5}""", "correlationKey")]
    [InlineData("""{"name":"resume","correlationKey":"k","dueAt":"tomorrow"}""", "tomorrow")]
    [InlineData("""{"name":"resume","correlationKey":"k","dueAt":"2026-03-17T10:00:00"}""", "2026-03-17T10:00:00")]
    [InlineData("""{"name":"resume","correlationKey":"k","dueAt":5}""", "dueAt")]
    [InlineData("""{"name":"resume","correlationKey":"k","delay":5}""", "name, correlationKey, payload, dueAt")]
    public async Task Body_that_is_not_a_signal_is_refused_with_the_member(string body, string named)
    {
        using var response = await fixture.Http.PostAsync("/signals", body, Cancel);

        await Answer.IsProblemAsync(response, 400, "body-invalid", named);
    }

    [Theory]
    [InlineData("2020-01-31T12:00:00.123456789Z")]
    [InlineData("2020-01-31T12:00Z")]
    [InlineData("2020-01-31T13:00:00.12345678901+01:00")]
    public async Task Instant_is_read_alike_in_bodies_and_queries(string instant)
    {
        using var signal = await fixture.Http.PostAsync(
            "/signals", $$"""{"name":"burst","correlationKey":"k","dueAt":"{{instant}}"}""", Cancel);
        using var list = await fixture.Http.GetAsync(
            new Uri($"/instances?limit=1&startedFrom={Uri.EscapeDataString(instant)}", UriKind.Relative), Cancel);

        Assert.Equal((HttpStatusCode.Accepted, HttpStatusCode.OK), (signal.StatusCode, list.StatusCode));
    }

    private async Task<InstanceStarted> StartWaitingAsync(string key)
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        return await fixture.Client.StartAsync(
            new StartInstance
            {
                Definition = name, Input = JsonSerializer.SerializeToElement(new { key }), CorrelationKey = key,
            },
            cancellationToken: Cancel);
    }

    private static JsonElement Json(string text)
    {
        using var document = JsonDocument.Parse(text);
        return document.RootElement.Clone();
    }
}
