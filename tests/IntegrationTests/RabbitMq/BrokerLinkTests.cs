using System.Collections.Concurrent;
using System.Net.Sockets;
using Workflow.Contracts.Events;
using Workflow.Events.MassTransit;

namespace IntegrationTests.RabbitMq;

/// <summary>A network that fails between a bus and its broker, again and again while the bus publishes.</summary>
[Trait("Category", "Extended")]
public sealed class BrokerLinkTests(BackendFixture backends)
{
    private const int EventsBetween = 300;
    private static readonly TimeSpan Outage = TimeSpan.FromMilliseconds(300);

    [Theory]
    [InlineData(Cut.Closed, 4), InlineData(Cut.Reset, 4), InlineData(Cut.Silent, 1)]
    public async Task Bus_whose_connections_are_cut_publishes_again_when_the_network_is_back(Cut cut, int outages)
    {
        var broker = (RabbitMqServer)await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
        await using var link = new BrokerLink(broker.Target.Port);
        var address = broker.ConnectionString.Replace($":{broker.Target.Port}", $":{link.Port}", StringComparison.Ordinal);
        Assert.True(RabbitMqTarget.TryParse(address, out var target, out var problem), problem);
        var options = new RabbitMqEventOptions
        {
            Target = target,
            ExchangePrefix = RabbitMqServer.NewPrefix(),
            PublishTimeout = TimeSpan.FromSeconds(2),
        };
        await using var bus = await RabbitMqEventBus.StartAsync(options, Cancel);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var confirmed = 0L;
        var failures = new ConcurrentQueue<Exception>();
        var publishers = Enumerable.Range(0, 2 * options.PublishWindow).Select(n => PublishAsync(n % 2 == 0)).ToArray();

        try
        {
            await UntilConfirmedAsync("before an outage");
            for (var outage = 1; outage <= outages; outage++)
            {
                link.CutAll(cut);
                await Task.Delay(Outage, Cancel);
                link.Restore();
                await UntilConfirmedAsync($"after outage {outage}");
            }
        }
        finally
        {
            await stop.CancelAsync();
            await Task.WhenAll(publishers);
        }

        await broker.RemoveAsync(options.ExchangePrefix, typeof(IntegrationEvent), []);

        Task UntilConfirmedAsync(string when)
        {
            var wanted = Interlocked.Read(ref confirmed) + EventsBetween;
            return Eventually.BecomesAsync(() => Task.FromResult(Interlocked.Read(ref confirmed)), seen => seen >= wanted,
                seen => $"{wanted - seen} more confirmations {when}; the last failure: {failures.LastOrDefault()?.Message}");
        }

        async Task PublishAsync(bool isSignal)
        {
            for (var next = Event(isSignal); !stop.IsCancellationRequested;)
            {
                try
                {
                    await bus.Publisher.PublishAsync(next, stop.Token);
                    Interlocked.Increment(ref confirmed);
                }
                catch (Exception exception)
                {
                    failures.Enqueue(exception);
                }
            }
        }
    }

    /// <summary>One of two types, each of which has a channel of its own.</summary>
    private static IntegrationEvent Event(bool isSignal)
    {
        var times = new EventTimestamps
        {
            AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 0, ExecutedTicks = 0, TicksPerSecond = 1, BootId = "",
        };
        return isSignal
            ? new SignalReceived { Id = "signal", CorrelationKey = "key", Name = "signal", Timestamps = times }
            : new InstanceCompleted { Id = "completed", CorrelationKey = "key", Timestamps = times };
    }
}

/// <summary>How a network ends connections.</summary>
public enum Cut
{
    /// <summary>In order, as a process does that exits.</summary>
    Closed,

    /// <summary>By a reset, as a machine does that has restarted.</summary>
    Reset,

    /// <summary>Not at all: nothing arrives any more, as behind a firewall that forgot the connection.</summary>
    Silent,
}

/// <summary>A network between a bus and its broker: each connection goes through it until it is cut.</summary>
internal sealed class BrokerLink : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly int _brokerPort;
    private readonly Lock _gate = new();
    private readonly List<Connection> _connections = [];
    private readonly Task _accepting;
    private bool _down;

    public BrokerLink(int brokerPort)
    {
        _brokerPort = brokerPort;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Cuts what is connected. Until <see cref="Restore"/>, new connections are reset at once.</summary>
    public void CutAll(Cut cut)
    {
        lock (_gate)
        {
            _down = true;
            _connections.ForEach(connection => connection.End(cut));
            _connections.RemoveAll(_ => cut != Cut.Silent);
        }
    }

    public void Restore()
    {
        lock (_gate)
        {
            _down = false;
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        CutAll(Cut.Reset);
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync();
                lock (_gate)
                {
                    var connection = new Connection(client);
                    if (_down)
                    {
                        connection.End(Cut.Reset);
                        continue;
                    }

                    _connections.Add(connection);
                    _ = connection.CarryAsync(_brokerPort);
                }
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The listener was stopped.
        }
    }

    /// <summary>The two sockets of a connection, and whether what arrives at one leaves by the other.</summary>
    private sealed class Connection(TcpClient client)
    {
        private readonly TcpClient _broker = new();
        private volatile bool _silent;
        private bool _ended;

        public void End(Cut cut)
        {
            if (cut == Cut.Silent)
            {
                _silent = true;
                return;
            }

            if (Interlocked.Exchange(ref _ended, true))
            {
                return;
            }

            foreach (var socket in new[] { client, _broker })
            {
                socket.LingerState = new(cut == Cut.Reset, 0);
                socket.Close();
            }
        }

        public async Task CarryAsync(int brokerPort)
        {
            try
            {
                await _broker.ConnectAsync(IPAddress.Loopback, brokerPort);
                await Task.WhenAll(CopyAsync(client.GetStream(), _broker.GetStream()), CopyAsync(_broker.GetStream(), client.GetStream()));
            }
            catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or InvalidOperationException)
            {
                // Cut, here or by one of the ends: both learn it.
                End(Cut.Closed);
            }
        }

        private async Task CopyAsync(NetworkStream from, NetworkStream to)
        {
            var buffer = new byte[64 * 1024];
            while (await from.ReadAsync(buffer) is var count and > 0)
            {
                if (!_silent)
                {
                    await to.WriteAsync(buffer.AsMemory(0, count));
                }
            }

            throw new IOException("The other end closed the connection.");
        }
    }
}
