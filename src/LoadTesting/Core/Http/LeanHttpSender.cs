using System.Runtime.CompilerServices;
using System.Security.Authentication;

namespace LoadTesting.Core.Http;

/// <summary>A connection for each worker, and one timer for the deadlines of all.</summary>
internal sealed class LeanHttpSender : HttpSender
{
    private readonly HttpSenderOptions _options;
    private readonly Connector _connector;
    private readonly ITimer _timer;
    private readonly Lock _gate = new();
    private volatile LeanConnection?[] _workers = new LeanConnection?[64];
    private volatile bool _isDisposed;

    internal LeanHttpSender(Uri baseAddress, HttpSenderOptions options)
    {
        _options = options;
        _connector = new Connector(baseAddress, options);
        _timer = options.TimeProvider.CreateTimer(_ => CheckDeadlines(), null, options.CheckInterval, options.CheckInterval);
    }

    public override string Name => "lean";

    public override long? Connections => _connector.Connections;

    public override long Resent => _workers.Sum(worker => worker?.Resent ?? 0);

    public override TimeSpan? LongestHold => _connector.LongestHold;

    public override ValueTask<HttpReply> SendAsync(
        int worker, PreparedRequest request, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        var workers = _workers;
        var connection = (uint)worker < (uint)workers.Length ? workers[worker] : null;
        return (connection ?? Add(worker)).SendAsync(request, body, cancellationToken);
    }

    /// <summary>Whether a worker's connection has ended while nothing was asked for, or brought what nobody asked for.</summary>
    internal bool HasEndedIdle(int worker) => _workers[worker]?.HasEndedIdle ?? false;

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        _timer.Dispose();
        foreach (var worker in _workers)
        {
            worker?.Dispose();
        }

        _connector.Dispose();
    }

    private LeanConnection Add(int worker)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(worker);
        lock (_gate)
        {
            if (worker >= _workers.Length)
            {
                var more = new LeanConnection?[Math.Max(2 * _workers.Length, worker + 1)];
                _workers.CopyTo(more, 0);
                _workers = more;
            }

            return _workers[worker] ??= new LeanConnection(worker, _connector, _options);
        }
    }

    private void CheckDeadlines()
    {
        var now = _options.TimeProvider.GetTimestamp();
        foreach (var worker in _workers)
        {
            worker?.AbortIfLate(now);
        }
    }
}

/// <summary>
/// A worker's connection. A receive is under way whenever it is open: where that ends while nothing is asked for, the server has closed the
/// connection, or has sent what nobody asked for, and it is opened anew before the next request, of which then nothing is lost.
/// </summary>
internal sealed class LeanConnection(int worker, Connector connector, HttpSenderOptions options) : IDisposable
{
    private const int ReceiveBytes = 8 << 10;
    private const long NoDeadline = 0;
    private const long Late = -1;
    private const long Cut = -2;

    private readonly ResponseParser _parser = new(options);
    private readonly byte[] _host = Encoding.ASCII.GetBytes(connector.Host);
    private readonly TimeProvider _timeProvider = options.TimeProvider;
    private readonly long _timeout = options.TimeoutTicks;
    private readonly byte[] _received = new byte[ReceiveBytes];
    private byte[] _sent = new byte[512];
    private Load.IResponse? _lastResponse;
    private Wire? _wire;
    private ValueTask<int> _receive;
    private bool _isReceiving;
    private int _isBusy;
    private long _resent;
    private long _responseBytes;
    private long _lastDeadline;

    // The request under way, for the timer.
    private long _deadline;
    private Wire? _watched;
    private CancellationToken _cancellation;

    internal long Resent => Volatile.Read(ref _resent);

    internal bool HasEndedIdle => Volatile.Read(ref _isBusy) == 0 && _wire is not null && _receive.IsCompleted;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    internal async ValueTask<HttpReply> SendAsync(
        PreparedRequest request, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _isBusy, 1) != 0)
        {
            throw new InvalidOperationException(
                $"Worker {worker} has a request under way: a worker sends one after the other, and a sender serves one scenario.");
        }

        try
        {
            if (cancellationToken.IsCancellationRequested)
            {
                return HttpReply.Of(HttpFault.Cancelled, "the request was cancelled before it was sent");
            }

            var deadline = NextDeadline();
            var length = Encode(request, body);
            for (var wasResent = false; ; wasResent = true)
            {
                var reply = await EnsureOpenAsync(deadline, cancellationToken).ConfigureAwait(false);
                var (wire, isReused) = (_wire!, reply is null);
                if (reply is { Fault: not HttpFault.None } failed)
                {
                    return failed;
                }

                Watch(wire, deadline, cancellationToken);
                _parser.Begin(request.IsHead, request.IsBodyKept);
                _responseBytes = 0;
                var excess = await ExchangeAsync(wire, length).ConfigureAwait(false);
                var state = Interlocked.Exchange(ref _deadline, NoDeadline);
                if (_parser.IsComplete && state > 0 && excess == 0 && _parser.KeepsConnection)
                {
                    Receive(wire);
                    return Reply(length, wasResent);
                }

                await CloseAsync().ConfigureAwait(false);
                if (_parser.IsComplete)
                {
                    return Reply(length, wasResent);
                }

                if (state < 0)
                {
                    return Ended(state, wasResent);
                }

                if (!isReused || wasResent || _parser.HasBegun || _parser.Fault != HttpFault.ConnectionClosed || !request.IsIdempotent)
                {
                    return HttpReply.Of(_parser.Fault, _parser.Detail + (isReused && !_parser.HasBegun && !request.IsIdempotent
                        ? $"; {request.Method} is not sent again, because it may have had its effect" : ""), wasResent);
                }

                Volatile.Write(ref _resent, _resent + 1);
                deadline = NextDeadline(deadline);
            }
        }
        finally
        {
            Volatile.Write(ref _isBusy, 0);
        }
    }

    /// <summary>Called by the timer: ends a request that is late or cancelled.</summary>
    internal void AbortIfLate(long now)
    {
        var deadline = Volatile.Read(ref _deadline);
        if (deadline <= 0)
        {
            return;
        }

        var (wire, isCut) = (_watched, _cancellation.IsCancellationRequested);
        if ((isCut || now >= deadline) && Interlocked.CompareExchange(ref _deadline, isCut ? Cut : Late, deadline) == deadline)
        {
            // No two requests of a connection have one deadline: it is still the one that this wire belongs to.
            wire!.Abort();
        }
    }

    public void Dispose()
    {
        var wire = Volatile.Read(ref _wire);
        wire?.Abort();
        if (Interlocked.Exchange(ref _isBusy, 1) == 0)
        {
            wire?.Dispose();
        }
    }

    /// <summary>Sends what is encoded, and reads until the response is over.</summary>
    /// <returns>Bytes behind the response.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ExchangeAsync(Wire wire, int length)
    {
        try
        {
            await wire.SendAsync(_sent.AsMemory(0, length)).ConfigureAwait(false);
        }
        catch (Exception exception) when (IsLoss(exception))
        {
            // Whether the server has answered all the same, such as with a refusal, is what the receive says.
        }

        try
        {
            while (true)
            {
                var receive = _receive;
                _isReceiving = false;
                var count = await receive.ConfigureAwait(false);
                if (count == 0)
                {
                    // After an abort the end is not the server's: no response is complete by it.
                    if (Volatile.Read(ref _deadline) > 0)
                    {
                        _parser.End();
                    }

                    return 0;
                }

                var used = _parser.Feed(_received.AsSpan(0, count));
                _responseBytes += used;
                if (_parser.IsOver)
                {
                    return count - used;
                }

                Receive(wire);
            }
        }
        catch (Exception exception) when (IsLoss(exception))
        {
            _parser.Break(exception.Message);
            return 0;
        }
    }

    /// <summary>Null where the connection that was open still is; else a reply, which has a fault where none could be opened.</summary>
    private async ValueTask<HttpReply?> EnsureOpenAsync(long deadline, CancellationToken cancellationToken)
    {
        if (_wire is not null)
        {
            if (!_receive.IsCompleted)
            {
                return null;
            }

            await CloseAsync().ConfigureAwait(false);
        }

        var left = _timeProvider.GetElapsedTime(_timeProvider.GetTimestamp(), deadline);
        using var limit = new CancellationTokenSource(left > TimeSpan.Zero ? left : TimeSpan.Zero, _timeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            _wire = await connector.OpenAsync(either.Token).ConfigureAwait(false);
            Receive(_wire);
            return default(HttpReply);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return HttpReply.Of(HttpFault.Cancelled, "the request was cancelled while connecting");
        }
        catch (OperationCanceledException)
        {
            return HttpReply.Of(HttpFault.Timeout, $"no connection to {connector.Host} within {options.Timeout}");
        }
        catch (AuthenticationException exception)
        {
            return HttpReply.Of(HttpFault.TlsFailed, $"{connector.Host}: {exception.Message}");
        }
        catch (Exception exception) when (exception is SocketException or IOException)
        {
            return HttpReply.Of(HttpFault.ConnectFailed, $"{connector.Host}: {exception.Message}");
        }
    }

    private void Receive(Wire wire)
    {
        try
        {
            _receive = wire.ReceiveAsync(_received);
        }
        catch (ObjectDisposedException exception)
        {
            _receive = ValueTask.FromException<int>(exception);
        }

        _isReceiving = true;
    }

    /// <summary>Closes the connection, and waits for the receive under way: it would write into the buffer of the next one.</summary>
    private async ValueTask CloseAsync()
    {
        var wire = _wire!;
        wire.Abort();
        if (_isReceiving)
        {
            _isReceiving = false;
            try
            {
                await _receive.ConfigureAwait(false);
            }
            catch (Exception exception) when (IsLoss(exception))
            {
                // It was to end, and has.
            }
        }

        _wire = null;
        wire.Dispose();
    }

    private void Watch(Wire wire, long deadline, CancellationToken cancellationToken)
    {
        (_watched, _cancellation) = (wire, cancellationToken);
        Volatile.Write(ref _deadline, deadline);
    }

    /// <summary>The deadline of a request, or of its second sending; no two are the same.</summary>
    private long NextDeadline(long before = 0) =>
        _lastDeadline = Math.Max(Math.Max(before, _lastDeadline) + 1, before == 0 ? _timeProvider.GetTimestamp() + _timeout : 0);

    private int Encode(PreparedRequest request, ReadOnlyMemory<byte> body)
    {
        var most = request.SizeWith(_host, body.Length);
        if (_sent.Length < most)
        {
            _sent = new byte[most];
        }

        return request.Write(_sent, _host, body.Span);
    }

    private HttpReply Reply(long length, bool wasResent)
    {
        var moved = new MovedBytes(wasResent ? 2 * length : length, _responseBytes);
        var reply = HttpReply.Of(_parser.Status, _parser.BodyBytes, moved, _parser.Head, _parser.Body, wasResent, _lastResponse);
        _lastResponse = reply.Response;
        return reply;
    }

    private HttpReply Ended(long state, bool wasResent) => state == Cut
        ? HttpReply.Of(HttpFault.Cancelled, "the request was cancelled before its response was complete", wasResent)
        : HttpReply.Of(
            HttpFault.Timeout,
            $"no complete response within {options.Timeout}; "
            + (_parser.HasBegun ? $"{_parser.BodyBytes} bytes of its body came" : "nothing of it came"),
            wasResent);

    private static bool IsLoss(Exception exception) => exception is SocketException or IOException or ObjectDisposedException;
}
