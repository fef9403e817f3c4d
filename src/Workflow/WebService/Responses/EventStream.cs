using System.IO.Pipelines;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Workflow.Abstractions;
using Workflow.Contracts;

namespace Workflow.WebService.Responses;

/// <summary>
/// Writes events to one client. All events that are ready go out in one flush; a comment with the position follows when
/// nothing was written for a while, and an event <c>gap</c> stands for requested events that are no longer stored.
/// </summary>
/// <param name="response">The response to the client.</param>
/// <param name="definition">The definition whose events are written; null for all.</param>
/// <param name="stalledReader">
/// How long a client may read nothing before its connection is aborted, because its events occupy the service's memory.
/// </param>
/// <param name="timeProvider">The clock.</param>
internal sealed class EventStream(
    HttpResponse response, string? definition, TimeSpan stalledReader, TimeProvider timeProvider)
{
    private const int FlushBytes = 32 * 1024;

    /// <summary>
    /// Shorter than the idle limits of usual proxies (60 s), and often enough to notice that a client has gone.
    /// </summary>
    private static readonly TimeSpan HeartbeatInterval = TimeSpan.FromSeconds(15);

    private readonly PipeWriter _output = response.BodyWriter;
    private readonly EventFrames _frames = new(response.BodyWriter, timeProvider);

    /// <summary>Whose turn it is to write: the events' or the heartbeat's.</summary>
    private readonly SemaphoreSlim _turn = new(0, 1);
    private EventPosition _position = EventPosition.Start;

    /// <summary>Whether nothing was written since the last beat.</summary>
    private bool _isQuiet;

    /// <summary>Up to where events were written; not all of it may have reached the client.</summary>
    public EventPosition Position => _position;

    public static void WriteHeaders(HttpResponse response, EventPosition begin)
    {
        response.StatusCode = StatusCodes.Status200OK;
        response.ContentType = "text/event-stream";
        response.Headers.CacheControl = "no-cache,no-store";
        response.Headers["X-Accel-Buffering"] = "no";

        // A client whose connection drops before the first event comes back here, and not at the end of what it missed.
        response.Headers[ContractsHttp.EventPositionHeader] = begin.ToString();
    }

    /// <exception cref="StalledReaderException">
    /// The client took nothing for too long; its connection is aborted.
    /// </exception>
    public async Task WriteAllAsync(
        EventBegin begin, IAsyncEnumerator<PositionedEvent> events, CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(HeartbeatInterval, timeProvider);
        var beats = BeatAsync(timer, cancellationToken);
        try
        {
            await WriteUntilEndAsync(begin, events, cancellationToken);
        }
        finally
        {
            // A beat that failed has cancelled the events: its exception says why.
            timer.Dispose();
            await beats;
        }
    }

    /// <summary>Allocates nothing for an event that finds its client ready: there may be thousands.</summary>
    private async Task WriteUntilEndAsync(
        EventBegin begin, IAsyncEnumerator<PositionedEvent> events, CancellationToken cancellationToken)
    {
        // The subscription is taken before the client is notified that it listens.
        _position = begin.Position;
        var next = events.MoveNextAsync();
        for (var hasBegun = false; ; hasBegun = true)
        {
            try
            {
                if (!hasBegun)
                {
                    await BeginAsync(begin, cancellationToken);
                }
                else if (!next.IsCompleted)
                {
                    await FlushAsync(cancellationToken);
                }
            }
            catch
            {
                // A reader must not be disposed while it waits. Whatever ended the stream has cancelled it.
                await ((Task)next.AsTask()).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                throw;
            }

            _turn.Release();
            var hasNext = await next;
            await _turn.WaitAsync(cancellationToken);
            if (!hasNext)
            {
                return;
            }

            await WriteAsync(events.Current, cancellationToken);
            next = events.MoveNextAsync();
        }
    }

    /// <summary>Sends a comment at a beat, but where events are being written or were since the last one.</summary>
    private async Task BeatAsync(PeriodicTimer timer, CancellationToken cancellationToken)
    {
        try
        {
            while (await timer.WaitForNextTickAsync(cancellationToken))
            {
                if (await _turn.WaitAsync(0, cancellationToken))
                {
                    if (_isQuiet)
                    {
                        _frames.WriteComment("alive"u8);
                        _frames.WritePosition(_position);
                        await FlushAsync(cancellationToken);
                    }

                    _isQuiet = true;
                    _turn.Release();
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The client is gone or the service stops, and the events end for the same reason.
        }
        catch
        {
            response.HttpContext.Abort();
            throw;
        }
    }

    private async ValueTask BeginAsync(EventBegin begin, CancellationToken cancellationToken)
    {
        response.HttpContext.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        if (response.HttpContext.Features.Get<IHttpMinResponseDataRateFeature>() is { } slowest)
        {
            // The server's own rule ends a connection without a word of why.
            slowest.MinDataRate = null;
        }

        WriteHeaders(response, begin.Position);
        await response.StartAsync(cancellationToken);
        _frames.WriteComment("listening"u8);
        if (begin.Missed > 0)
        {
            _frames.WriteGap(begin.Missed);
        }

        _frames.WritePosition(begin.Position);
        await FlushAsync(cancellationToken);
    }

    private async ValueTask WriteAsync(PositionedEvent positioned, CancellationToken cancellationToken)
    {
        if (positioned.Missed > 0)
        {
            _frames.WriteGap(positioned.Missed);
            _isQuiet = false;
        }

        _position = positioned.Position;
        if (definition is not null && !string.Equals(positioned.Event.Definition, definition, StringComparison.Ordinal))
        {
            return;
        }

        _frames.Write(positioned);
        _isQuiet = false;
        if (_output.UnflushedBytes >= FlushBytes)
        {
            await FlushAsync(cancellationToken);
        }
    }

    private async ValueTask FlushAsync(CancellationToken cancellationToken)
    {
        if (_output.UnflushedBytes > 0)
        {
            var flush = _output.FlushAsync(cancellationToken);
            var flushed = flush.IsCompleted ? await flush : await WithTimeoutAsync(flush.AsTask());
            if (flushed.IsCompleted)
            {
                response.HttpContext.Abort();
                throw new OperationCanceledException("The client closed the stream.", cancellationToken);
            }
        }
    }

    /// <summary>The buffers of server and kernel are full: this waits until the client has taken something.</summary>
    private async Task<FlushResult> WithTimeoutAsync(Task<FlushResult> flush)
    {
        try
        {
            return await flush.WaitAsync(stalledReader, timeProvider);
        }
        catch (TimeoutException)
        {
            if (flush.IsCompleted)
            {
                return await flush;
            }

            // What waits to be sent goes with the connection.
            response.HttpContext.Abort();
            await ((Task)flush).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw new StalledReaderException();
        }
    }
}
