using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace IntegrationTests.WebService;

/// <summary>Waiting work in the service is bounded, even if its server hangs or returns after a crash.</summary>
[Trait("Category", "Integration")]
public sealed class BoundTests(BackendFixture backends) : OneLaneServiceTests(backends)
{
    [Theory]
    [JudgesRealTime]
    [InlineData("MaxPendingSize", "100000", 4), InlineData("MaxPendingCommands", "5", 5)]
    public Task Commands_past_the_pending_limit_are_refused(string limit, string value, int room) =>
        RealTime.HoldsAsync(() => AssertRefusedAsync(limit, value, room));

    private async Task AssertRefusedAsync(string limit, string value, int room)
    {
        // The engine answers for a store that hangs after ten seconds: until then all must be sent.
        const int Count = 12;
        var connection = await StartServiceAsync(new Dictionary<string, string> { [$"Limits:{limit}"] = value });
        await using var blocker = new NpgsqlConnection(connection);
        await blocker.OpenAsync(Cancel);
        await using (var held = await blocker.BeginTransactionAsync(Cancel))
        {
            await using var hold = new NpgsqlCommand(
                "lock table workflow.batches in access exclusive mode", blocker, held);
            await hold.ExecuteNonQueryAsync(Cancel);

            var payload = new string('x', 20_000);
            var sent = Enumerable.Range(0, Count).Select(i => PostAsync(
                "/signals",
                $$"""{ "name": "go", "correlationKey": "k{{i}}", "payload": "{{payload}}" }""")).ToList();
            for (var refused = 0; refused < Count - room; refused++)
            {
                var answered = await Task.WhenAny(sent).WaitAsync(Eventually.Deadline, Cancel);
                sent.Remove(answered);
                using var response = await answered;
                await Answer.IsProblemAsync(response, 429, "overloaded", limit, value);
                Assert.InRange(response.Headers.RetryAfter!.Delta!.Value.TotalSeconds, 1, 30);
            }

            Assert.DoesNotContain(sent, one => one.IsCompleted);
            await held.RollbackAsync(Cancel);
            foreach (var one in sent)
            {
                using var response = await one;
                Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
            }
        }

        using var after = await PostAsync("/signals", """{ "name": "go", "correlationKey": "later" }""");
        Assert.Equal(HttpStatusCode.Accepted, after.StatusCode);
    }

    [Fact]
    public async Task Activity_calls_stay_within_the_limit()
    {
        const int Count = 10;
        await using var target = await Target.StartAsync();
        await StartServiceAsync(new Dictionary<string, string>
        {
            ["Limits:MaxRunningActivities"] = "2", ["Activities:Http:Allow:0"] = new Uri(target.Url).Authority,
        });
        var name = await Service.Client.RegisterNewAsync(name => $$"""
            { "name": "{{name}}", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "http", "input": { "url": "{{target.Url}}/" }, "next": "done" },
              "done": { "type": "end" } } }
            """);
        for (var i = 0; i < Count; i++)
        {
            using var started = await PostAsync("/instances", $$"""{ "definition": "{{name}}" }""");
            Assert.Equal(HttpStatusCode.Created, started.StatusCode);
        }

        await Eventually.HoldsAsync(() => target.Running == 2, "2 calls");
        await Eventually.BecomesAsync(
            () => MetricAsync("workflow_waiting_activities"), waiting => waiting == Count - 2, w => $"{w} wait");
        await Service.KillAsync(Cancel);
        await Eventually.HoldsAsync(() => target.Running == 0, "the calls are cut off");
        await Service.RestartAsync(Cancel);

        await Eventually.HoldsAsync(() => target.Running == 2, "2 calls again");
        await Eventually.BecomesAsync(
            () => MetricAsync("workflow_waiting_activities"), waiting => waiting == Count - 2, w => $"{w} wait");
        Assert.Equal(2, await MetricAsync("workflow_running_activities"));
        target.Open();
        await Eventually.BecomesAsync(
            () => MetricAsync("workflow_instances_completed_total"),
            completed => completed == Count,
            c => $"{c} completed");
        Assert.Equal((2, Count + 2), (target.Most, target.Calls));
    }

    private async Task<string> StartServiceAsync(IReadOnlyDictionary<string, string> settings) =>
        (await StartOnAsync("bounds", settings))!;

    private Task<double> MetricAsync(string name) => Http.MetricAsync(Service.BaseAddress, name);

    /// <summary>Holds every call until the test opens it.</summary>
    private sealed class Target : IAsyncDisposable
    {
        private readonly TaskCompletionSource _open = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ConcurrentDictionary<int, bool> _running = new();
        private WebApplication? _app;
        private int _calls;
        private int _most;

        public string Url => _app!.Urls.Single();
        public int Running => _running.Count;
        public int Calls => Volatile.Read(ref _calls);
        public int Most => Volatile.Read(ref _most);

        public static async Task<Target> StartAsync()
        {
            var target = new Target();
            target._app = await LocalServer.StartAsync(app => app.Run(target.HoldAsync));
            return target;
        }

        public void Open() => _open.SetResult();
        public ValueTask DisposeAsync() => _app!.DisposeAsync();

        private async Task HoldAsync(HttpContext context)
        {
            var call = Interlocked.Increment(ref _calls);
            _running[call] = true;
            _most = Math.Max(_most, _running.Count);
            try
            {
                await _open.Task.WaitAsync(context.RequestAborted);
            }
            finally
            {
                _running.TryRemove(call, out _);
            }
        }
    }
}
