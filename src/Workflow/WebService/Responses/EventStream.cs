using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Text.Unicode;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Workflow.Abstractions;
using Workflow.Contracts;
using Workflow.Contracts.Events;

namespace Workflow.WebService.Responses;

/// <summary>
/// Writes events to one client: what is ready goes out in one flush, a comment with the position when nothing was said for a while, and an
/// event <c>gap</c> where events that were asked for are not kept any more.
/// </summary>
/// <param name="response">Of the client.</param>
/// <param name="definition">Only events of its instances; null for all.</param>
/// <param name="stalledReader">A client that takes nothing for so long is dropped: what it would hold in memory is not its own.</param>
/// <param name="timeProvider">The clock.</param>
internal sealed class EventStream(HttpResponse response, string? definition, TimeSpan stalledReader, TimeProvider timeProvider)
{
    private const int FlushBytes = 32 * 1024;

    /// <summary>Below the idle limits of usual proxies (60 s), and often enough to notice a client that is gone.</summary>
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

    /// <exception cref="StalledReaderException">The client took nothing for too long; its connection is aborted.</exception>
    public async Task WriteAllAsync(EventPosition begin, IAsyncEnumerator<PositionedEvent> events, CancellationToken cancellationToken)
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
        EventPosition begin, IAsyncEnumerator<PositionedEvent> events, CancellationToken cancellationToken)
    {
        // The subscription is taken before the client is notified that it listens.
        _position = begin;
        var next = events.MoveNextAsync();
        for (var hasBegun = false; ; hasBegun = true)
        {
            try
            {
                await (!hasBegun ? BeginAsync(begin, cancellationToken) : next.IsCompleted ? default : FlushAsync(cancellationToken));
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

    private async ValueTask BeginAsync(EventPosition begin, CancellationToken cancellationToken)
    {
        response.HttpContext.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        if (response.HttpContext.Features.Get<IHttpMinResponseDataRateFeature>() is { } slowest)
        {
            // The server's own rule ends a connection without a word of why.
            slowest.MinDataRate = null;
        }

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
            var flushed = flush.IsCompleted ? await flush : await WithinAsync(flush.AsTask());
            if (flushed.IsCompleted)
            {
                response.HttpContext.Abort();
                throw new OperationCanceledException("The client closed the stream.", cancellationToken);
            }
        }
    }

    /// <summary>The buffers of server and kernel are full: this waits until the client has taken something.</summary>
    private async Task<FlushResult> WithinAsync(Task<FlushResult> flush)
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

/// <summary>A client of an event stream takes nothing any more.</summary>
internal sealed class StalledReaderException() : Exception("The client of the event stream took nothing for too long.");

/// <summary>The frames of a stream of server-sent events: id, event name, one line of JSON, and an empty line.</summary>
internal sealed class EventFrames(PipeWriter output, TimeProvider timeProvider)
{
    [ThreadStatic]
    private static ArrayBufferWriter<byte>? t_whole;

    public void WriteComment(ReadOnlySpan<byte> text)
    {
        output.Write(": "u8);
        output.Write(text);
        output.Write("\n\n"u8);
    }

    /// <summary>A frame without data is no event, but a browser remembers its id.</summary>
    public void WritePosition(EventPosition position)
    {
        WriteId(output, position);
        output.Write("\n\n"u8);
    }

    /// <summary>Has no id: a client that comes back here hears of the gap again.</summary>
    public void WriteGap(long missed)
    {
        Encoding.UTF8.GetBytes($"event: {EventTypes.Gap}\ndata: ", output);
        output.Write(JsonSerializer.SerializeToUtf8Bytes(new EventGap(missed), ContractsJson.Default));
        output.Write("\n\n"u8);
    }

    public void Write(PositionedEvent positioned)
    {
        var frame = SharedFrame.Of(positioned.Event);
        if (!frame.IsKept)
        {
            Compose(output);
            return;
        }

        // In one piece: each one given to the server costs it a lock.
        var whole = t_whole ??= new ArrayBufferWriter<byte>();
        whole.ResetWrittenCount();
        Compose(whole);
        output.Write(whole.WrittenSpan);

        void Compose(IBufferWriter<byte> to)
        {
            WriteId(to, positioned.Position);
            frame.WriteTo(to, timeProvider);
        }
    }

    private static void WriteId(IBufferWriter<byte> to, EventPosition position)
    {
        to.Write("id: "u8);
        position.WriteTo(to);
    }
}

/// <summary>
/// An event as every stream writes it, but for the position and the time at which it leaves. The first stream makes it; the others, of
/// which there may be thousands, find it here.
/// </summary>
internal sealed class SharedFrame
{
    private const int Places = 64;
    private const int LongestKept = 16 * 1024;

    private static readonly SharedFrame?[] s_recent = new SharedFrame?[Places];

    private readonly IntegrationEvent _event;
    private readonly byte[] _text;

    /// <summary>Where the time belongs: at the beginning of the event's own times.</summary>
    private readonly int _times;

    private SharedFrame(IntegrationEvent value)
    {
        var (head, json) = (
            Encoding.UTF8.GetBytes($"\nevent: {OneLine(value.Type)}\ndata: "),
            JsonSerializer.SerializeToUtf8Bytes(value, value.GetType(), ContractsJson.Default));
        _event = value;
        _text = [.. head, .. json, .. "\n\n"u8];
        _times = head.Length + BeginOfTimes(json);
    }

    public bool IsKept => _text.Length <= LongestKept;

    public static SharedFrame Of(IntegrationEvent value)
    {
        ref var place = ref s_recent[RuntimeHelpers.GetHashCode(value) % Places];
        if (Volatile.Read(ref place) is { } kept && ReferenceEquals(kept._event, value))
        {
            return kept;
        }

        var made = new SharedFrame(value);
        if (made.IsKept)
        {
            Volatile.Write(ref place, made);
        }

        return made;
    }

    /// <summary>
    /// Says when the event left. One that was read again from the store says it no more than it says when it was committed: its other times
    /// may be of another boot, and a difference between the two would be no duration.
    /// </summary>
    public void WriteTo(IBufferWriter<byte> output, TimeProvider timeProvider)
    {
        if (_event.Timestamps.CommittedTicks is null)
        {
            output.Write(_text);
            return;
        }

        output.Write(_text.AsSpan(0, _times));
        var stamp = output.GetSpan(128);
        Utf8.TryWrite(
            stamp, CultureInfo.InvariantCulture,
            $"\"publishedUtc\":\"{timeProvider.GetUtcNow():O}\",\"publishedTicks\":{timeProvider.GetTimestamp()},", out var length);
        output.Advance(length);
        output.Write(_text.AsSpan(_times));
    }

    private static int BeginOfTimes(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        while (reader.Read())
        {
            if (reader.CurrentDepth == 1 && reader.TokenType == JsonTokenType.PropertyName && reader.ValueTextEquals("timestamps"u8))
            {
                reader.Read();
                return (int)reader.BytesConsumed;
            }
        }

        throw new InvalidOperationException("An event without times.");
    }

    /// <summary>A line end in a name would end the field.</summary>
    private static string OneLine(string name) => name.AsSpan().ContainsAny('\r', '\n') ? name.ReplaceLineEndings(" ") : name;
}
