using System.Buffers.Binary;
using IntegrationTests.WebService;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using PerformanceTesting.Backends.Containers;

namespace IntegrationTests.Containers;

/// <summary>A container of an engine that a test makes up. None of these needs Docker.</summary>
[Trait("Category", "Integration")]
public sealed class DockerContainerTests
{
    private volatile bool _isRunning = true;
    private int _pauses;

    [Fact]
    public async Task Log_that_the_engine_ends_while_the_container_runs_on_is_followed_again()
    {
        var followed = 0;
        await using var engine = await StartAsync(async (answer, _) =>
        {
            await WriteAsync(answer, "first\n");
            if (Interlocked.Increment(ref followed) > 1)
            {
                await WriteAsync(answer, "second\n");
                await Task.Delay(Timeout.Infinite, answer.HttpContext.RequestAborted);
            }
        });
        await using var container = await ContainerAsync(engine);

        container.FollowLog();

        await Eventually.HoldsAsync(() => container.LogTail.EndsWith("first\nsecond", StringComparison.Ordinal), "both lines, once each");
    }

    [Fact]
    public async Task Log_of_the_run_before_that_comes_late_does_not_hide_what_is_written_now()
    {
        var (asked, late) = (new TaskCompletionSource(), new TaskCompletionSource());
        await using var engine = await StartAsync(async (answer, follows) =>
        {
            if (!follows)
            {
                asked.SetResult();
                await late.Task;
                await WriteAsync(answer, "before\n");
                return;
            }

            await WriteAsync(answer, "now\n");
            await Task.Delay(Timeout.Infinite, answer.HttpContext.RequestAborted);
        });
        await using var container = await ContainerAsync(engine);
        _isRunning = false;
        var reading = container.ReadStateAsync(Cancel);
        await asked.Task.WaitAsync(Cancel);
        _isRunning = true;
        await container.StartAgainAsync(Cancel);
        await Eventually.HoldsAsync(() => container.LogTail.EndsWith("now", StringComparison.Ordinal), "the line of the new run");

        late.SetResult();
        await reading;

        Assert.EndsWith("now", container.LogTail, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("OCI runtime pause failed: unable to freeze: unknown", 3)]
    [InlineData("Container it is not running", 1)]
    public async Task Container_that_the_kernel_fails_to_freeze_is_asked_again_and_no_other_refusal_is(string refusal, int asked)
    {
        await using var engine = await StartAsync((_, _) => Task.CompletedTask, refusal);
        await using var container = await ContainerAsync(engine);

        var failure = await Record.ExceptionAsync(() => container.PauseAsync(Cancel));

        Assert.Equal(asked, Volatile.Read(ref _pauses));
        Assert.Equal(asked == 1, failure is BackendException && failure.Message.Contains(refusal, StringComparison.Ordinal));
    }

    private Task<WebApplication> StartAsync(Func<HttpResponse, bool, Task> writeLog, string refusal = "") => LocalServer.StartAsync(app =>
    {
        app.MapGet("/_ping", (HttpResponse answer) => answer.Headers["Api-Version"] = "1.41");
        app.MapGet("/v1.41/containers/it/json", () => Results.Content(
            $$$"""{ "State": { "Running": {{{(_isRunning ? "true" : "false")}}}, "ExitCode": 0, "Pid": 0, "OOMKilled": false } }""", "application/json"));
        app.MapPost("/v1.41/containers/it/start", () => { });
        app.MapPost("/v1.41/containers/it/pause", () => Interlocked.Increment(ref _pauses) < 3
            ? Results.Json(new { message = refusal }, statusCode: 500)
            : Results.NoContent());
        app.MapDelete("/v1.41/containers/it", () => { });
        app.MapGet(
            "/v1.41/containers/it/logs",
            (HttpContext context) => writeLog(context.Response, context.Request.Query.ContainsKey("follow")));
    });

    private static async Task<DockerContainer> ContainerAsync(WebApplication engine)
    {
        var address = engine.Urls.Single().Replace("http", "tcp", StringComparison.Ordinal);
        var endpoint = DockerEndpoint.FromVariables(name => name == DockerEndpoint.HostName ? address : null);
        return new(await DockerApi.ConnectAsync(endpoint, Cancel), "it", "made up", "127.0.0.1", new Dictionary<int, int>());
    }

    /// <summary>A frame of standard output, as the engine sends it.</summary>
    private static async Task WriteAsync(HttpResponse answer, string text)
    {
        var frame = new byte[8 + text.Length];
        frame[0] = 1;
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(4), text.Length);
        Encoding.ASCII.GetBytes(text, frame.AsSpan(8));
        await answer.Body.WriteAsync(frame, answer.HttpContext.RequestAborted);
        await answer.Body.FlushAsync(answer.HttpContext.RequestAborted);
    }
}
