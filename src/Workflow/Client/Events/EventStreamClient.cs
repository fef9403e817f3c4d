using System.Diagnostics;
using System.Net.Http.Headers;
using System.Net.ServerSentEvents;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Workflow.Contracts;
using Workflow.Contracts.Events;

namespace Workflow.Client.Events;

/// <summary>
/// Reads the event stream of the web service, and resumes at the last position when the connection drops. Events are
/// delivered at least once and in order within each stream. One reader at a time.
/// </summary>
public sealed class EventStreamClient : IDisposable
{
    private const string MediaType = "text/event-stream";

    private readonly HttpClient _http;
    private readonly EventStreamOptions _options;
    private readonly TimeProvider _timeProvider;
    private readonly WorkClock _work = new();
    private readonly TaskCompletionSource _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string? _position;
    private string? _handled;
    private int _reading;
    private long _reconnections;
    private long _missed;

    /// <summary>
    /// Missing events that this connection has reported and the reader has not passed yet. A connection that resumes at
    /// the same position reports them again.
    /// </summary>
    private long _missedAhead;

    /// <summary>Creates a client, which connects in <see cref="ReadAsync"/>.</summary>
    public EventStreamClient(Uri baseAddress, EventStreamOptions? options = null, TimeProvider? timeProvider = null)
        : this(baseAddress, options ?? new EventStreamOptions(), timeProvider ?? TimeProvider.System, null)
    {
    }

    internal EventStreamClient(
        Uri baseAddress, EventStreamOptions options, TimeProvider timeProvider, HttpMessageHandler? handler)
    {
        _options = options;
        _timeProvider = timeProvider;
        _position = _handled = options.After;

        // A stream has no end, hence no deadline of its own; silence has one, see WithTimeoutAsync and
        // SilenceLimitedStream.
        _http = new HttpClient(handler ?? CreateHandler(options)) { Timeout = Timeout.InfiniteTimeSpan };

        // Without a slash at its end, the last part of its path would be replaced.
        _http.BaseAddress = new Uri(baseAddress.AbsoluteUri.TrimEnd('/') + "/");
        if (options.Key is not null)
        {
            _http.DefaultRequestHeaders.Add(ContractsHttp.KeyHeader, options.Key);
        }
    }

    /// <summary>
    /// Completes when the service has confirmed the first connection: every event from then on is delivered. Fails if
    /// <see cref="ReadAsync"/> ends before.
    /// </summary>
    public Task Connected => _connected.Task;

    /// <summary>
    /// The position at which a new connection resumes: the id of the last delivered event, or a later position up to
    /// which there was none. Before the first event, the beginning of the stream; null before the first connection.
    /// </summary>
    public string? Position => Volatile.Read(ref _position);

    /// <summary>
    /// The position up to which the reader has handled the events: it has asked for the next one. Before the first
    /// event, the beginning of the stream; null before the first connection. While an event is being handled,
    /// <see cref="Position"/> is one event ahead.
    /// </summary>
    public string? Handled => Volatile.Read(ref _handled);

    public long Reconnections => Interlocked.Read(ref _reconnections);

    /// <summary>
    /// The number of events up to <see cref="Position"/> that the service no longer had when they were requested. This
    /// reader does not receive them.
    /// </summary>
    public long Missed => Interlocked.Read(ref _missed);

    /// <summary>
    /// How long this reader has worked on received data, including the handling of events by its caller, instead of
    /// waiting for more. A reader that never waits is late: received data queues in the connection.
    /// </summary>
    public TimeSpan Worked => _work.Elapsed;

    /// <summary>Reads events until it is cancelled.</summary>
    /// <exception cref="WorkflowApiException">
    /// The service refuses the stream, or the answer is not an event stream.
    /// </exception>
    /// <exception cref="HttpRequestException">Too many connections in a row failed, by the options.</exception>
    public async IAsyncEnumerable<ReceivedEvent> ReadAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        if (Interlocked.Exchange(ref _reading, 1) == 1)
        {
            throw new InvalidOperationException("This stream is being read. Make one EventStreamClient per reader.");
        }

        var connection = new Reconnection(_options, _timeProvider);
        IAsyncEnumerator<ReceivedEvent>? events = null;
        try
        {
            while (true)
            {
                events ??= ReadConnectionAsync(connection, cancellationToken).GetAsyncEnumerator(cancellationToken);
                if (await NextAsync(events, connection, cancellationToken).ConfigureAwait(false))
                {
                    yield return events.Current;
                    continue;
                }

                await events.DisposeAsync().ConfigureAwait(false);
                events = null;
                await connection.PauseAsync(cancellationToken).ConfigureAwait(false);
                Interlocked.Increment(ref _reconnections);
            }
        }
        finally
        {
            if (events is not null)
            {
                await events.DisposeAsync().ConfigureAwait(false);
            }

            _connected.TrySetException(
                new InvalidOperationException(
                    "The reading of the event stream ended before the service confirmed it."));
            _ = _connected.Task.Exception;
            Volatile.Write(ref _reading, 0);
        }
    }

    public void Dispose() => _http.Dispose();

    /// <summary>Reads the next event; false if the connection dropped and may be opened again.</summary>
    private async ValueTask<bool> NextAsync(
        IAsyncEnumerator<ReceivedEvent> events, Reconnection connection, CancellationToken cancellationToken)
    {
        try
        {
            return await events.MoveNextAsync().ConfigureAwait(false);
        }
        catch (Exception e) when (IsDrop(e) && !cancellationToken.IsCancellationRequested)
        {
            if (connection.Failed())
            {
                return false;
            }

            _connected.TrySetException(e);
            throw;
        }
        catch (WorkflowApiException e)
        {
            if (e.Status is >= System.Net.HttpStatusCode.InternalServerError
                or System.Net.HttpStatusCode.TooManyRequests
                && connection.Failed())
            {
                return false;
            }

            _connected.TrySetException(e);
            throw;
        }
    }

    /// <remarks>
    /// HttpClient does not wrap the <see cref="SocketException"/> of a connection that is reset immediately.
    /// </remarks>
    private static bool IsDrop(Exception exception) =>
        exception is HttpRequestException or IOException or TimeoutException or SocketException;

    private async IAsyncEnumerable<ReceivedEvent> ReadConnectionAsync(
        Reconnection connection, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var request = CreateRequest();
        using var response = await WithTimeoutAsync(
            token => _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, token),
            cancellationToken).ConfigureAwait(false);
        if (!response.IsSuccessStatusCode)
        {
            var content = await WithTimeoutAsync(response.Content.ReadAsStringAsync, cancellationToken)
                .ConfigureAwait(false);
            throw ProblemReader.Read(response.StatusCode, content, $"GET {request.RequestUri}", null);
        }

        if (response.Content.Headers.ContentType?.MediaType is var type
            && !MediaType.Equals(type, StringComparison.OrdinalIgnoreCase))
        {
            throw new WorkflowApiException(response.StatusCode, ProblemReader.NotAProblem,
                $"GET {request.RequestUri} answered {(int)response.StatusCode} with {type ?? "no type"} instead of "
                    + $"{MediaType}. Is this the base address of the service?");
        }

        connection.Made();
        if (Position is null && response.Headers.TryGetValues(ContractsHttp.EventPositionHeader, out var begins))
        {
            // A drop before the first event must resume where this connection began.
            Volatile.Write(ref _position, begins.Single());
            Volatile.Write(ref _handled, Position);
        }

        _connected.TrySetResult();
        var body = await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        using var stream = new SilenceLimitedStream(body, _options.SilenceTimeout, _timeProvider, _work);
        var parser = SseParser.Create(
            stream, static (type, data) => new Frame(Stopwatch.GetTimestamp(), type, Encoding.UTF8.GetString(data)));
        stream.FramesEnded = () => Pass(parser.LastEventId);
        _missedAhead = 0;
        await foreach (var item in parser.EnumerateAsync(cancellationToken).ConfigureAwait(false))
        {
            var frame = item.Data;
            if (frame.Type == EventTypes.Gap)
            {
                // It has no id: the last one is of before.
                Pass(parser.LastEventId);
                _missedAhead += EventTypes.GapFromJson(frame.Json).Missed;
                continue;
            }

            var received =
                new ReceivedEvent(EventTypes.FromJson(frame.Type, frame.Json), parser.LastEventId, frame.ReceivedTicks);
            Reach(received.Position);
            yield return received;
            Volatile.Write(ref _handled, received.Position);
        }
    }

    private void Reach(string position)
    {
        if (position != _position)
        {
            Volatile.Write(ref _position, position);
            Interlocked.Add(ref _missed, _missedAhead);
            _missedAhead = 0;
        }
    }

    /// <summary>
    /// Records that the reader has handled all events so far. The service sends its position even without events.
    /// </summary>
    private void Pass(string position)
    {
        if (position.Length > 0)
        {
            Reach(position);
            Volatile.Write(ref _handled, position);
        }
    }

    /// <summary>
    /// Limits the wait for an answer: a paused service still accepts connections and never answers.
    /// </summary>
    private async Task<T> WithTimeoutAsync<T>(
        Func<CancellationToken, Task<T>> call, CancellationToken cancellationToken)
    {
        using var silence = new CancellationTokenSource(_options.SilenceTimeout, _timeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(silence.Token, cancellationToken);
        try
        {
            return await call(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw new HttpRequestException(
                $"{_http.BaseAddress} did not answer in time (ConnectTimeout "
                    + $"{_options.ConnectTimeout.TotalSeconds:0.#} s, "
                + $"SilenceTimeout {_options.SilenceTimeout.TotalSeconds:0.#} s).", e);
        }
    }

    private HttpRequestMessage CreateRequest()
    {
        var filter = _options.Definition is { } definition ? "?definition=" + Uri.EscapeDataString(definition) : "";
        var request = new HttpRequestMessage(HttpMethod.Get, "events" + filter);
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue(MediaType));
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("application/problem+json"));
        if (Position is { } position)
        {
            request.Headers.TryAddWithoutValidation("Last-Event-ID", position);
        }

        return request;
    }

    private static SocketsHttpHandler CreateHandler(EventStreamOptions options) => new()
    {
        MaxConnectionsPerServer = 1,
        ConnectTimeout = options.ConnectTimeout,
        PooledConnectionLifetime = Timeout.InfiniteTimeSpan,

        // A stream has no end to read up to: who leaves it leaves at once.
        MaxResponseDrainSize = 0,
        AllowAutoRedirect = false,
        AutomaticDecompression = System.Net.DecompressionMethods.None,
        UseCookies = false,
        UseProxy = false,
        ActivityHeadersPropagator = null,
    };

    private readonly record struct Frame(long ReceivedTicks, string Type, string Json);
}
