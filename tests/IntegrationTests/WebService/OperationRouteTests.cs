namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class OperationRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    private static readonly string[] Routes =
    [
        "post /definitions", "get /definitions", "post /definitions/validate", "get /definitions/{name}",
        "get /definitions/{name}/versions/{version}", "get /definitions/{name}/diagram", "get /definitions/{name}/code",
        "post /instances", "get /instances", "get /instances/{id}", "get /instances/{id}/history",
        "post /instances/{id}/signals",
        "post /instances/{id}/cancel", "post /instances/{id}/suspend", "post /instances/{id}/resume",
        "post /instances/{id}/retry", "post /instances/retry", "post /instances/cancel", "post /dead-letters/replay",
        "get /tasks", "get /tasks/{id}", "post /tasks/{id}/assign", "post /tasks/{id}/complete",
        "post /signals", "get /dead-letters", "post /dead-letters/{id}/replay", "get /events", "get /health/live",
        "get /health/ready", "get /cluster", "get /metrics",
    ];

    [Fact]
    public async Task Service_is_alive_and_ready()
    {
        Assert.Equal("""{"status":"live"}""",
            await fixture.Http.GetStringAsync(new Uri("/health/live", UriKind.Relative), Cancel));
        await fixture.Client.EnsureReadyAsync(Cancel);
    }

    [Fact]
    public async Task Metrics_count_what_happened_and_can_be_scraped()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var before = Samples(await fixture.Client.GetMetricsAsync(Cancel));
        using var started = await fixture.Http.PostAsync("/instances", $$"""{"definition":"{{name}}"}""", Cancel);
        using var refused = await fixture.Http.PostAsync("/instances", "{}", Cancel);

        const string Labels = "method=\"POST\",route=\"/instances\"";
        const string Refused = $"http_server_responses_total{{{Labels},status=\"4xx\"}}";
        const string Accepted = $"http_server_responses_total{{{Labels},status=\"2xx\"}}";
        const string Durations = $"http_server_request_duration_seconds_count{{{Labels}}}";

        // Each is counted after its answer was sent, and the second may be before the first.
        var after = await SamplesUntilAsync(samples =>
            samples[Refused] > before[Refused] && samples[Accepted] > before[Accepted]
                && samples[Durations] > before[Durations] + 1);

        Assert.Equal(1, after["workflow_instances_started_total"] - before["workflow_instances_started_total"]);
        Assert.Equal(2, after[Durations] - before[Durations]);
        Assert.Equal(after[Durations], after[$"http_server_request_duration_seconds_bucket{{{Labels},le=\"+Inf\"}}"]);
        Assert.Equal(1, after[Accepted] - before[Accepted]);
        Assert.Equal(1, after[Refused] - before[Refused]);
        Assert.Equal(before.Keys.Order(), after.Keys.Order());
    }

    [Fact]
    public async Task Ceiling_of_empty_requests_is_what_the_service_counted()
    {
        const string Live = "http_server_responses_total{method=\"GET\",route=\"/health/live\",status=\"2xx\"}";
        var before = Samples(await fixture.Client.GetMetricsAsync(Cancel));

        var perSecond = await HttpCeiling.MeasureAsync(fixture.Service.BaseAddress, Cancel);

        var least =
            perSecond * HttpCeiling.Span.TotalSeconds; // The clock runs on until the last client's request is over.
        Assert.True(least >= HttpCeiling.Clients, $"{perSecond:0.0} requests/s");
        await SamplesUntilAsync(samples => samples[Live] - before[Live] >= least);
    }

    [Fact]
    public async Task Description_lists_every_route()
    {
        using var document = JsonDocument.Parse(
            await fixture.Http.GetStringAsync(new Uri("/openapi/v1.json", UriKind.Relative), Cancel));

        var described = document.RootElement.GetProperty("paths").EnumerateObject()
            .SelectMany(path => path.Value.EnumerateObject().Select(method => $"{method.Name} {path.Name}"));
        Assert.Equal(Routes.Order(), described.Order());
        var start = document.RootElement.GetProperty("paths").GetProperty("/instances").GetProperty("post");
        Assert.Equal("Idempotency-Key",
            Assert.Single(start.GetProperty("parameters").EnumerateArray()).GetProperty("name").GetString());
    }

    /// <summary>The same status and headers as GET, and no body.</summary>
    [Fact]
    public async Task Head_is_answered_wherever_get_is()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var id = (await fixture.Client
            .StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel)).Id
            .ToString();
        var described =
            Routes.Where(route => route.StartsWith("get ", StringComparison.Ordinal)).Select(route => route[4..])
            .Where(path => path != "/events").Select(path => path.Replace("{name}", name, StringComparison.Ordinal)
                .Replace("{version}", "1", StringComparison.Ordinal).Replace("{id}", id, StringComparison.Ordinal));
        string[] others =
        [
            "/openapi/v1.json", "/ui", "/ui/style.css", "/ui/icon.svg", "/ui/view.js", "/ui/sign-in", "/ui/definitions",
            "/ui/instances",
            $"/ui/instances/{id}", "/ui/tasks", "/ui/dead-letters", "/ui/load", "/ui/api", "/ui/scalar.js",
            "/nowhere", "/instances/17",
        ];
        foreach (var path in described.Concat(others))
        {
            using var get = await fixture.Http.GetAsync(new Uri(path, UriKind.Relative), Cancel);
            using var head = await HeadAsync(path);

            Assert.True(
                get.StatusCode
                    == head.StatusCode, $"HEAD {path}: {head.StatusCode} where GET is answered {get.StatusCode}");
            Assert.Equal(get.Content.Headers.ContentType, head.Content.Headers.ContentType);
            Assert.Empty(await head.Content.ReadAsByteArrayAsync(Cancel));
        }
    }

    [Fact]
    public async Task Head_of_the_event_stream_ends_with_its_headers()
    {
        using var head = await HeadAsync("/events?lastEventId=0:0");

        Assert.Equal(HttpStatusCode.OK, head.StatusCode);
        Assert.Equal("text/event-stream", head.Content.Headers.ContentType?.MediaType);
        Assert.Equal("0:0", head.Headers.GetValues("Event-Position").Single());
        Assert.Empty(await head.Content.ReadAsByteArrayAsync(Cancel));
    }

    [Fact]
    public async Task HEAD_is_refused_on_routes_without_GET()
    {
        using var head = await HeadAsync("/signals");
        using var deleted = await fixture.Http.DeleteAsync(new Uri("/instances", UriKind.Relative), Cancel);

        Assert.Equal(HttpStatusCode.MethodNotAllowed, head.StatusCode);
        Assert.Equal(["GET", "HEAD", "POST"], deleted.Content.Headers.Allow.Order());
    }

    private Task<HttpResponseMessage> HeadAsync(string path) =>
        fixture.Http.SendAsync(new HttpRequestMessage(HttpMethod.Head, path), Cancel);

    /// <summary>A request is counted once it is over, which its client may learn a moment earlier.</summary>
    private Task<Dictionary<string, double>> SamplesUntilAsync(Func<Dictionary<string, double>, bool> holds) =>
        Eventually.BecomesAsync(
        async () => Samples(await fixture.Client.GetMetricsAsync(Cancel)), holds,
        samples => $"other counts than {string.Join(' ', samples)}");

    /// <summary>Every line is a comment or a name with labels and a number; anything else fails here.</summary>
    private static Dictionary<string, double> Samples(string metrics) =>
        metrics.Split('\n', StringSplitOptions.RemoveEmptyEntries)
        .Where(line => !line.StartsWith("# ", StringComparison.Ordinal))
        .Select(line => line.LastIndexOf(' ') is var space
            ? (Name: line[..space],
                Value: double.Parse(line[(space + 1)..], System.Globalization.CultureInfo.InvariantCulture))
            : default)
        .ToDictionary(sample => sample.Name, sample => sample.Value);
}
