namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class EventRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Events_of_a_workflow_arrive_in_order()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        await using var inbox = await OpenAsync(name);
        var id = await StartAsync(name, name);

        await fixture.Client
            .SignalAsync(new SendSignal { Name = "resume", CorrelationKey = name }, cancellationToken: Cancel);
        var completed = await inbox.WaitForAsync(e => e.Event is InstanceCompleted, Cancel);

        Assert.Equal(["Resumed", "InstanceCompleted"], inbox.Received.Select(e => e.Event.Type));
        Assert.All(inbox.Received,
            e => Assert.Equal((id, name, 1), (e.Event.InstanceId, e.Event.Definition, e.Event.DefinitionVersion)));
        var raised = Assert.IsType<EventRaised>(inbox.Received.First().Event);
        Assert.Equal(name, raised.Payload?.GetProperty("key").GetString());
        var times = completed.Event.Timestamps;
        var ticks = new[]
        {
            times.AcceptedTicks, times.ExecutedTicks, times.CommittedTicks!.Value, times.PublishedTicks!.Value,
            completed.ReceivedTicks,
        };
        Assert.Equal(ticks.Order(), ticks);
        Assert.NotNull(times.PublishedUtc);
    }

    /// <summary>
    /// Streams share the text of a short event and insert the time. Its content may look like the time.
    /// </summary>
    [Theory]
    [InlineData(10)]
    [InlineData(40_000)]
    public async Task Streams_of_one_event_differ_only_in_the_send_time(int length)
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        await using var first = await OpenAsync(name);
        await using var second = await OpenAsync(name);
        await using var third = await OpenAsync(name);
        await StartAsync(name, name);
        var payload =
            JsonSerializer.SerializeToElement(new { timestamps = new { publishedTicks = new string('x', length) } });

        await fixture.Client.SignalAsync(
            new SendSignal { Name = "resume", CorrelationKey = name, Payload = payload }, cancellationToken: Cancel);
        var received = await Task.WhenAll(
            new[] { first, second, third }.Select(
                inbox => inbox.WaitForAsync(e => e.Event is InstanceCompleted, Cancel)));

        var times = received.Select(e => e.Event.Timestamps).ToList();
        Assert.All(received.Zip(times), one => Assert.InRange(
            one.Second.PublishedTicks!.Value, one.Second.CommittedTicks!.Value, one.First.ReceivedTicks));
        Assert.NotEqual(1, times.Select(one => one.PublishedTicks).Distinct().Count());
        Assert.Single(times.Select(one => one with { PublishedUtc = null, PublishedTicks = null }).Distinct());
        Assert.All(received, e => Assert.Equal(
            payload.GetRawText(),
            Assert.IsType<InstanceCompleted>(e.Event).Output!.Value.GetProperty("answer").GetRawText()));
        Assert.Single(received.Select(e => (e.Position, e.Event.Id)).Distinct());
    }

    [Fact]
    public async Task Filter_leaves_out_other_definitions()
    {
        var wanted = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var other = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        await using var inbox = await OpenAsync(wanted);

        await StartAsync(other, "x");
        var id = await StartAsync(wanted, "x");
        await inbox.WaitForAsync(e => e.Event.InstanceId == id, Cancel);

        Assert.All(inbox.Received, e => Assert.Equal(wanted, e.Event.Definition));
    }

    [Fact]
    public async Task Stream_resumes_after_the_event_it_names_and_loses_nothing()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        string position;
        await using (var inbox = await OpenAsync(name))
        {
            var first = await StartAsync(name, "x");
            position = (await inbox.WaitForAsync(e => e.Event.InstanceId == first, Cancel)).Position;
        }

        var missed = new List<Guid>();
        for (var i = 0; i < 20; i++)
        {
            missed.Add(await StartAsync(name, "x"));
        }

        await using var resumed = await EventInbox.OpenAsync(
            fixture.Service.BaseAddress, new EventStreamOptions { Definition = name, After = position }, Cancel);
        missed.Add(await StartAsync(name, "x"));
        foreach (var id in missed)
        {
            await resumed.WaitForAsync(e => e.Event.InstanceId == id, Cancel);
        }

        Assert.Equal(missed.Order(), resumed.Received.Select(e => e.Event.InstanceId!.Value).Order());
    }

    [Fact]
    public async Task Position_can_be_given_in_the_query_as_well()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var id = await StartAsync(name, "x");

        using var response = await fixture.Http.GetAsync(
            new Uri($"/events?definition={name}&lastEventId=0:0", UriKind.Relative),
            HttpCompletionOption.ResponseHeadersRead, Cancel);
        await using var body = await response.Content.ReadAsStreamAsync(Cancel);
        using var reader = new StreamReader(body);
        var lines = new List<string>();
        while (!lines.Exists(l => l.StartsWith("data: ", StringComparison.Ordinal)))
        {
            lines.Add(await reader.ReadLineAsync(Cancel) ?? throw new EndOfStreamException(string.Join('\n', lines)));
        }

        Assert.Equal("text/event-stream", response.Content.Headers.ContentType?.MediaType);
        Assert.Equal(": listening", lines[0]);
        Assert.Contains("event: InstanceCompleted", lines);
        Assert.Contains(id.ToString(), lines[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/events", "yesterday")]
    [InlineData("/events?lastEventId=0-17", null)]
    [InlineData("/events", "0:-17"), InlineData("/events?lastEventId=.", null), InlineData("/events", "64:1")]
    [InlineData("/events", "0:99999999999999999999"), InlineData("/events?lastEventId=0:1&lastEventId=0:2", null)]
    public async Task Malformed_position_is_refused(string path, string? header)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        if (header is not null)
        {
            request.Headers.Add("Last-Event-ID", header);
        }

        using var response = await fixture.Http.SendAsync(request, Cancel);

        await Answer.IsProblemAsync(response, 400, "header-invalid", header ?? "is not an event position", "0:17.1:4");
    }

    /// <summary>As after a restart of a service whose store is its memory.</summary>
    [Theory]
    [InlineData("/events", "0:999999999"), InlineData("/events?lastEventId=0:9223372036854775807", ""),
        InlineData("/events?lastEventId=63:1", null)]
    public async Task Position_past_the_end_is_answered_with_a_gap(string path, string? header)
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var id = await StartAsync(name, "x");

        var (position, lines) = await ReadUntilAsync(path, header, "data: {\"missed\":", id.ToString());

        Assert.All(position.Split('.'), stream => Assert.EndsWith(":0", stream, StringComparison.Ordinal));
        Assert.Equal([": listening", "", "event: gap"], lines.Take(3));
        Assert.Equal($"id: {position}", lines[5]);
    }

    [Theory]
    [InlineData("/events", ""), InlineData("/events?lastEventId=", null), InlineData("/events?lastEventId=", " ")]
    public async Task Empty_position_is_no_position(string path, string? header)
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        await StartAsync(name, "x");

        var (position, lines) = await ReadUntilAsync(path, header, ": listening", "id: ");

        Assert.Contains(position.Split('.'), stream => !stream.EndsWith(":0", StringComparison.Ordinal));
        Assert.Equal($"id: {position}", lines[^1]);
    }

    /// <summary>
    /// The header Event-Position and the lines of a stream, up to those that begin with or contain the texts, one after
    /// the other.
    /// </summary>
    private async Task<(string Position, List<string> Lines)> ReadUntilAsync(
        string path, string? header, params string[] texts)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        if (header is not null)
        {
            request.Headers.TryAddWithoutValidation("Last-Event-ID", header);
        }

        using var response = await fixture.Http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(Cancel));
        var lines = new List<string>();
        foreach (var text in texts)
        {
            do
            {
                lines.Add(
                    await reader.ReadLineAsync(Cancel) ?? throw new EndOfStreamException(string.Join('\n', lines)));
            }
            while (!lines[^1].Contains(text, StringComparison.Ordinal));
        }

        return (response.Headers.GetValues("Event-Position").Single(), lines);
    }

    [Fact]
    public async Task Stream_that_its_client_left_is_freed()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var inbox = await OpenAsync(name);
        var open = await OpenStreamsAsync();
        await inbox.DisposeAsync();

        // The server learns of a closed connection by itself; how soon is up to the network.
        await Eventually.BecomesAsync(
            OpenStreamsAsync, now => now < open, now => $"fewer than {open} streams; there are {now}");
        Assert.True(open >= 1);
    }

    private async Task<double> OpenStreamsAsync()
    {
        var metrics = await fixture.Client.GetMetricsAsync(Cancel);
        return double.Parse(
            metrics.Split('\n').Single(l => l.StartsWith("workflow_event_streams ", StringComparison.Ordinal))
            .Split(' ')[1], System.Globalization.CultureInfo.InvariantCulture);
    }

    private Task<EventInbox> OpenAsync(string definition) =>
        EventInbox.OpenAsync(fixture.Service.BaseAddress, new EventStreamOptions { Definition = definition }, Cancel);

    private async Task<Guid> StartAsync(string definition, string key) => (await fixture.Client.StartAsync(
        new StartInstance { Definition = definition,
            Input = JsonSerializer.SerializeToElement(new { key, price = 1, quantity = 1 }) },
        cancellationToken: Cancel)).Id;
}
