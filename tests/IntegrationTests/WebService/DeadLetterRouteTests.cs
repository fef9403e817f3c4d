using IntegrationTests.Shared.Faults;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Logging;
using Workflow.Contracts.DeadLetters;
using Workflow.Engine.Configuration;
using Workflow.Engine.InMemory;
using Workflow.WebService.Configuration;
using Workflow.WebService.Hosting;

namespace IntegrationTests.WebService;

/// <summary>Dead letters over HTTP. The store refuses what the test calls poison.</summary>
[Trait("Category", "Integration")]
public sealed class DeadLetterRouteTests : IAsyncLifetime
{
    private readonly FaultyStore _store = new(new InMemoryStore());
    private EngineSession? _engine;
    private WebApplication? _app;
    private WorkflowClient? _client;
    private HttpClient? _http;

    private WorkflowClient Client =>
        _client ?? throw new InvalidOperationException("The test has not been initialised.");
    private HttpClient Http => _http ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync()
    {
        var engine = _engine = await EngineSession.StartAsync(_store, new WorkflowEngineOptions { Lanes = 1 });
        await engine.RegisterAsync(Definitions.WaitForGo);
        var builder = WebApp.CreateBuilder(["--urls", "http://127.0.0.1:0"]);
        builder.Logging.ClearProviders();
        _app = WebApp.Build(builder, new ServiceSettings(), _ => engine.Engine);
        await _app.StartAsync(Cancel);
        _http = new() { BaseAddress = new Uri(_app.Urls.First()) };
        _client = new(_http);
    }

    public async ValueTask DisposeAsync()
    {
        _http?.Dispose();
        await (_app?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_engine?.DisposeAsync() ?? ValueTask.CompletedTask);
    }

    [Fact]
    public async Task Poison_signal_is_answered_with_its_dead_letter()
    {
        var instance = await _engine!.StartAsync("waitForGo", """{ "id": "a", "note": "poison" }""");
        var accepted = await SendPoisonAsync("a");
        Assert.NotNull(accepted.DeadLetterId);

        var page = await Client.ListDeadLettersAsync(kind: DeadLetterKind.Signal, limit: 10, cancellationToken: Cancel);
        Assert.Null(page.Next);
        var letter = Assert.Single(page.Items);
        Assert.Equal((accepted.DeadLetterId, 1, "go"),
            (letter.Id, letter.Attempts, letter.Payload.GetProperty("name").GetString()));
        using var refused = await Http.PostAsync($"/dead-letters/{letter.Id}/replay", "", Cancel);
        await Answer.IsProblemAsync(refused, 409, "dead-letter-refused", letter.Id.ToString(), "attempt 2");

        _store.IsPoison = _ => false;
        Assert.Equal(
            new(letter.Id, true, false), await Client.ReplayDeadLetterAsync(letter.Id, cancellationToken: Cancel));
        Assert.Equal(
            new(letter.Id, true, true), await Client.ReplayDeadLetterAsync(letter.Id, cancellationToken: Cancel));
        Assert.Equal("7", await _engine.OutputAsync(instance.Id));
        Assert.Empty((await Client.ListDeadLettersAsync(cancellationToken: Cancel)).Items);
        Assert.Equal(letter.Id,
            Assert.Single((await Client.ListDeadLettersAsync(replayed: true, cancellationToken: Cancel)).Items).Id);
    }

    [Fact]
    public async Task Page_of_a_letter_says_why_and_replays_it_by_a_form()
    {
        var instance = await _engine!.StartAsync("waitForGo", """{ "id": "a", "note": "poison" }""");
        var letter = (await SendPoisonAsync("a")).DeadLetterId;
        var path = $"/ui/dead-letters/{letter}";

        var list = await Http.GetStringAsync(new Uri("/ui/dead-letters?kind=signal", UriKind.Relative), Cancel);
        var open = await Http.GetStringAsync(new Uri(path, UriKind.Relative), Cancel);
        using var refused = await PageTests.PostAsync(Http, path + "/replay", []);
        _store.IsPoison = _ => false;
        using var replayed = await PageTests.PostAsync(Http, path + "/replay", []);

        Assert.Contains($"href=\"{path}\"", list, StringComparison.Ordinal);
        Assert.Contains($"action=\"{path}/replay\"", open, StringComparison.Ordinal);
        Assert.Contains("dead-letter-refused", await PageTests.IsPageAsync(refused, 409), StringComparison.Ordinal);
        var page = await PageTests.IsPageAsync(replayed, 200);
        Assert.Contains("It is applied.", page, StringComparison.Ordinal);
        Assert.DoesNotContain("method=\"post\"", page, StringComparison.Ordinal);
        Assert.Equal("7", await _engine.OutputAsync(instance.Id));
    }

    [Fact]
    public async Task Metrics_tell_how_many_letters_there_are()
    {
        await _engine!.StartAsync("waitForGo", """{ "id": "a", "note": "poison" }""");
        await SendPoisonAsync("a");

        var lines = (await Client.GetMetricsAsync(Cancel)).Split('\n');

        Assert.Contains("workflow_dead_letters 1", lines);
        Assert.Contains("workflow_dead_signals 1", lines);
        Assert.Contains("workflow_dead_lettered_total 1", lines);
    }

    [Theory]
    [InlineData("01890a5d-ac96-774b-bcce-b302099a8057", 404, "dead-letter-not-found")]
    [InlineData("seven", 400, "malformed-id")]
    public async Task Replay_of_what_is_not_there_is_a_problem(string id, int status, string code)
    {
        using var response = await Http.PostAsync($"/dead-letters/{id}/replay", "", Cancel);

        await Answer.IsProblemAsync(response, status, code, id, "GET /dead-letters");
    }

    [Theory]
    [InlineData("kind=letter", "kind", "signal, timer, message, activity")]
    [InlineData("state=dead", "state", "open, replayed")]
    [InlineData("instance=7", "instance", "an instance id")]
    [InlineData("after=7", "after", "next")]
    [InlineData("limit=0", "limit", "1 to 1000")]
    [InlineData("page=2", "page", "state, kind, instance, after, limit")]
    public async Task Wrong_query_is_named(string query, string parameter, string wanted)
    {
        using var response = await Http.GetAsync(new Uri("/dead-letters?" + query, UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(response, 400, "query-invalid", $"'{parameter}'", wanted);
    }

    private async Task<SignalAccepted> SendPoisonAsync(string key)
    {
        _store.IsPoison = row => row.Body.Contains("poison", StringComparison.Ordinal);
        return await Client.SignalAsync(
            new() { Name = "go", CorrelationKey = key, Payload = JsonSerializer.SerializeToElement(7) },
            cancellationToken: Cancel);
    }
}
