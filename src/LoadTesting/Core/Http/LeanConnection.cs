using System.Runtime.CompilerServices;
using System.Security.Authentication;

namespace LoadTesting.Core.Http;

/// <summary>
/// A worker's connection. A receive is always pending while it is open. If it ends while no request is in progress, the
/// server has closed the connection or sent unsolicited bytes; the connection is reopened before the next request,
/// which is not affected.
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

    // The request in progress, for the timer.
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
                $"Worker {worker} has a request under way: a worker sends one after the other, "
                    + "and a sender serves one scenario.");
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

                if (!isReused || wasResent || _parser.HasBegun || _parser.Fault != HttpFault.ConnectionClosed
                    || !request.IsIdempotent)
                {
                    return HttpReply.Of(
                        _parser.Fault, _parser.Detail + (isReused && !_parser.HasBegun && !request.IsIdempotent
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

    /// <summary>Ends a request that is late or cancelled. Called by the timer.</summary>
    internal void AbortIfLate(long now)
    {
        var deadline = Volatile.Read(ref _deadline);
        if (deadline <= 0)
        {
            return;
        }

        var (wire, isCut) = (_watched, _cancellation.IsCancellationRequested);
        if ((isCut || now >= deadline)
            && Interlocked.CompareExchange(ref _deadline, isCut ? Cut : Late, deadline) == deadline)
        {
            // Deadlines of a connection are unique, so that this wire still belongs to the request.
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

    /// <summary>Sends the encoded request and reads until the response is over.</summary>
    /// <returns>Number of bytes after the response.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ExchangeAsync(Wire wire, int length)
    {
        try
        {
            await wire.SendAsync(_sent.AsMemory(0, length)).ConfigureAwait(false);
        }
        catch (Exception exception) when (IsLoss(exception))
        {
            // The server may have answered anyway, for example with a refusal: the receive shows it.
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
                    // After an abort the end of the connection does not complete a response.
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

    /// <summary>
    /// Null if the connection is still open; otherwise a reply, with a fault if no connection could be opened.
    /// </summary>
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

    /// <summary>
    /// Closes the connection and waits for the pending receive, which would write to the next connection's buffer.
    /// </summary>
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
                // Expected after closing.
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

    /// <summary>The deadline of a request or of its resend. Deadlines are unique.</summary>
    private long NextDeadline(long before = 0) =>
        _lastDeadline =
            Math.Max(Math.Max(before, _lastDeadline) + 1, before == 0 ? _timeProvider.GetTimestamp() + _timeout : 0);

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
        var reply = HttpReply.Of(
            _parser.Status, _parser.BodyBytes, moved, _parser.Head, _parser.Body, wasResent, _lastResponse);
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

    private static bool IsLoss(Exception exception) =>
        exception is SocketException or IOException or ObjectDisposedException;
}
