using System.IO.Pipelines;
using Microsoft.AspNetCore.Http.Features;
using Workflow.Abstractions;
using Workflow.Contracts;

namespace Workflow.WebService.Responses;

/// <summary>Writes events to one client: what is ready goes out in one flush, and a comment when nothing was said for a while.</summary>
internal sealed class EventStream(HttpResponse response, string? definition, TimeProvider timeProvider)
{
    private const int FlushBytes = 32 * 1024;

    /// <summary>Below the idle limits of usual proxies (60 s), and often enough to notice a client that is gone.</summary>
    private static readonly TimeSpan HeartbeatInterval = TimeSpan.FromSeconds(15);

    private readonly PipeWriter _output = response.BodyWriter;
    private readonly EventFrames _frames = new(response.BodyWriter, timeProvider);

    public async Task WriteAllAsync(EventPosition begin, IAsyncEnumerator<PositionedEvent> events, CancellationToken cancellationToken)
    {
        // The subscription is taken before the client is told that it listens.
        var next = events.MoveNextAsync();
        await BeginAsync(begin, cancellationToken);
        using var timer = new PeriodicTimer(HeartbeatInterval, timeProvider);
        var beat = timer.WaitForNextTickAsync(cancellationToken).AsTask();
        while (true)
        {
            if (!next.IsCompleted)
            {
                var waiting = next.AsTask();
                await FlushAsync(cancellationToken);
                beat = await AwaitAsync(waiting, beat, timer, cancellationToken);
                next = new ValueTask<bool>(waiting);
            }

            if (!await next)
            {
                return;
            }

            await WriteAsync(events.Current, cancellationToken);
            next = events.MoveNextAsync();
        }
    }

    private async Task BeginAsync(EventPosition begin, CancellationToken cancellationToken)
    {
        response.HttpContext.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        response.StatusCode = StatusCodes.Status200OK;
        response.ContentType = "text/event-stream";
        response.Headers.CacheControl = "no-cache,no-store";
        response.Headers["X-Accel-Buffering"] = "no";

        // A client whose connection drops before the first event comes back here, and not at the end of what it missed.
        response.Headers[ContractsHttp.EventPositionHeader] = begin.ToString();
        await response.StartAsync(cancellationToken);
        _frames.WriteComment("listening"u8);
        _frames.WritePosition(begin);
        await FlushAsync(cancellationToken);
    }

    private async ValueTask WriteAsync(PositionedEvent positioned, CancellationToken cancellationToken)
    {
        if (definition is not null && !string.Equals(positioned.Event.Definition, definition, StringComparison.Ordinal))
        {
            return;
        }

        _frames.Write(positioned);
        if (_output.UnflushedBytes >= FlushBytes)
        {
            await FlushAsync(cancellationToken);
        }
    }

    /// <summary>Waits for the next event, and sends a comment at every beat until then. Returns the beat to wait for next.</summary>
    private async Task<Task<bool>> AwaitAsync(Task<bool> next, Task<bool> beat, PeriodicTimer timer, CancellationToken cancellationToken)
    {
        while (await Task.WhenAny(next, beat) == beat)
        {
            await beat;
            beat = timer.WaitForNextTickAsync(cancellationToken).AsTask();
            _frames.WriteComment("alive"u8);
            await FlushAsync(cancellationToken);
        }

        return beat;
    }

    private async ValueTask FlushAsync(CancellationToken cancellationToken)
    {
        if (_output.UnflushedBytes > 0)
        {
            var flushed = await _output.FlushAsync(cancellationToken);
            if (flushed.IsCompleted)
            {
                throw new OperationCanceledException("The client closed the stream.", cancellationToken);
            }
        }
    }
}
