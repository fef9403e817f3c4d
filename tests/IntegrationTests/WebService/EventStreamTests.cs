using System.IO.Pipelines;
using System.Threading.Channels;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Workflow.Abstractions;
using Workflow.WebService.Responses;

namespace IntegrationTests.WebService;

/// <summary>The output of an event stream, on a clock that the test advances.</summary>
[Trait("Category", "Integration")]
public sealed class EventStreamTests : IHttpResponseBodyFeature, IHttpRequestLifetimeFeature, IDisposable
{
    /// <summary>Far less than a client may take nothing: the clock may be moved on once too often.</summary>
    private static readonly TimeSpan s_moment = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan s_stalled = TimeSpan.FromMinutes(10);

    private readonly ManualTime _time = new();
    private readonly Channel<PositionedEvent> _events = Channel.CreateUnbounded<PositionedEvent>();
    private readonly CancellationTokenSource _aborted = new();

    /// <summary>A flush of the stream waits until the client has read everything.</summary>
    private readonly Pipe _pipe = new(new PipeOptions(pauseWriterThreshold: 1, resumeWriterThreshold: 1));

    private EventPosition _position = EventPosition.Start.With(0, 4);

    CancellationToken IHttpRequestLifetimeFeature.RequestAborted { get; set; }

    Stream IHttpResponseBodyFeature.Stream => _pipe.Writer.AsStream();

    PipeWriter IHttpResponseBodyFeature.Writer => _pipe.Writer;

    public void Dispose() => _aborted.Dispose();

    [Fact]
    public async Task Silent_stream_says_that_it_lives_and_where_it_is()
    {
        var writing = WriteAsync();
        Assert.Equal(": listening\n\nid: 0:4\n\n", await ReadAsync());

        Assert.Equal(": alive\n\nid: 0:4\n\n", await ReadBeatAsync());
        Publish("another");
        Publish("own");
        Assert.StartsWith("id: 0:6\nevent: SignalExpired\ndata: {", await ReadEventAsync(), StringComparison.Ordinal);
        Assert.Equal(": alive\n\nid: 0:6\n\n", await ReadBeatAsync());

        await EndAsync(writing);
        Assert.False(_aborted.IsCancellationRequested);
    }

    [Fact]
    public async Task Stream_with_a_recent_event_skips_the_heartbeat()
    {
        var writing = WriteAsync();
        await ReadAsync();
        _time.Advance(10 * s_moment);
        Publish("own");
        await ReadEventAsync();
        var last = _time.GetUtcNow();

        Assert.Equal(": alive\n\nid: 0:5\n\n", await ReadBeatAsync());
        Assert.InRange(_time.GetUtcNow() - last, TimeSpan.FromSeconds(15), TimeSpan.MaxValue);

        await EndAsync(writing);
    }

    [Fact]
    public async Task Event_during_a_slow_heartbeat_follows_it()
    {
        var writing = WriteAsync();
        await ReadAsync();
        Assert.Equal(": alive\n\nid: 0:4\n\n", await ReadBeatAsync(isTaken: false));

        Publish("own");
        Assert.Equal(": alive\n\nid: 0:4\n\n", await ReadAsync());
        Assert.StartsWith("id: 0:5\nevent: SignalExpired\ndata: {", await ReadEventAsync(), StringComparison.Ordinal);

        await EndAsync(writing);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Client_that_takes_no_heartbeat_is_dropped(bool hasEvent)
    {
        var writing = WriteAsync();
        await ReadAsync();
        await ReadBeatAsync(isTaken: false);
        if (hasEvent)
        {
            Publish("own");
        }

        Assert.False(writing.IsCompleted);
        await _time.AdvanceUntilAsync(writing, s_stalled);

        await Assert.ThrowsAsync<StalledReaderException>(() => writing);
        Assert.True(_aborted.IsCancellationRequested);
    }

    [Fact]
    public async Task Stream_whose_client_goes_away_ends_while_it_waits()
    {
        var writing = WriteAsync();
        await ReadAsync();

        await _aborted.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => writing.WaitAsync(Eventually.Deadline, Cancel));
    }

    void IHttpRequestLifetimeFeature.Abort() => _aborted.Cancel();

    void IHttpResponseBodyFeature.DisableBuffering()
    {
    }

    Task IHttpResponseBodyFeature.StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    Task IHttpResponseBodyFeature.SendFileAsync(
        string path, long offset, long? count, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    Task IHttpResponseBodyFeature.CompleteAsync() => Task.CompletedTask;

    private async Task WriteAsync()
    {
        var context = new DefaultHttpContext();
        context.Features.Set<IHttpResponseBodyFeature>(this);
        context.Features.Set<IHttpRequestLifetimeFeature>(this);
        await using var events = _events.Reader.ReadAllAsync(_aborted.Token).GetAsyncEnumerator(_aborted.Token);
        await new EventStream(context.Response, "own", s_stalled, _time)
            .WriteAllAsync(new(_position), events, _aborted.Token);
    }

    private void Publish(string definition)
    {
        _position = _position.With(0, _position[0] + 1);
        var published = new SignalExpired
        {
            Id = $"0-{_position[0]}", Definition = definition, Name = "go", Reason = "test",
            Timestamps = new()
            {
                AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 1, ExecutedTicks = 2, ExecutionTicks = 3,
                TicksPerSecond = 1_000_000_000, BootId = "boot",
            },
        };
        Assert.True(_events.Writer.TryWrite(new(published, _position)));
    }

    /// <summary>What has been flushed once.</summary>
    private async Task<string> ReadAsync(bool isTaken = true)
    {
        var read = await _pipe.Reader.ReadAsync(Cancel).AsTask().WaitAsync(Eventually.Deadline, Cancel);
        var text = Encoding.UTF8.GetString(read.Buffer);
        _pipe.Reader.AdvanceTo(isTaken ? read.Buffer.End : read.Buffer.Start);
        return text;
    }

    /// <summary>The output when a heartbeat is due; none while the stream does not wait.</summary>
    private async Task<string> ReadBeatAsync(bool isTaken = true)
    {
        var read = ReadAsync(isTaken);
        await _time.AdvanceUntilAsync(read, s_moment);
        return await read;
    }

    /// <summary>There may have been time for more than one heartbeat.</summary>
    private async Task<string> ReadEventAsync()
    {
        while (true)
        {
            if (await ReadAsync() is var text && !text.StartsWith(": alive", StringComparison.Ordinal))
            {
                return text;
            }
        }
    }

    private async Task EndAsync(Task writing)
    {
        _events.Writer.Complete();
        while (ReadAsync() is var read && await Task.WhenAny(writing, read) != writing)
        {
            await read;
        }

        await writing;
    }
}
