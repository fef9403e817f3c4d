using System.Diagnostics;
using System.Net.Http.Json;
#if (rabbitmq)
using System.Text.Json;
#elif (stream)
using System.Net.ServerSentEvents;
#endif
using LoadTesting.Core.Results;
using PerformanceTesting.Measurement;
#if (rabbitmq)
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
#endif

namespace WfPerfTests;

#if (evented)
/// <summary>
/// The service under test: how to reach it, how to send an order, and how to hear of its events. To measure a service
/// of yours, give its address, and change what <see cref="SendAsync"/> sends and what <see cref="ListenAsync"/> reads.
/// </summary>
#else
/// <summary>
/// The service under test: how to reach it, and how to send an order. To measure a service of yours, give its address,
/// and change what <see cref="SendAsync"/> sends.
/// </summary>
#endif
public sealed class OrderService : ServiceUnderTest
{
#if (evented)
    /// <summary>Type of the event that ends an order.</summary>
    public const string OrderShipped = "OrderShipped";

#endif
    /// <summary>Empty: the sample service is started.</summary>
    private const string UsualAddress = "SERVICE_ADDRESS_OF_YOURS";
#if (rabbitmq)
    private const string UsualBroker = "BROKER_ADDRESS_OF_YOURS";
    private const string Exchange = "EXCHANGE_OF_YOURS";
#endif

    private readonly HttpClient _http;
    private readonly SampleProcess? _sample;
#if (rabbitmq)
    private IConnection? _connection;
#elif (stream)
    private readonly CancellationTokenSource _stop = new();
    private Task _listening = Task.CompletedTask;
#endif

    private OrderService(Uri address, SampleProcess? sample) =>
        (_http, _sample) = (new HttpClient { BaseAddress = address }, sample);

    /// <summary>
    /// Its process, if it runs on this machine: the result then has its processor time and memory. 0 if it is not
    /// known.
    /// </summary>
    public override int ProcessId => _sample?.Id
        ?? (int.TryParse(Environment.GetEnvironmentVariable("SERVICE_PROCESS"), out var id) ? id : 0);

#if (evented)
    /// <summary>
    /// Connects to the service, or starts the sample, and listens to its events before anything is sent.
    /// </summary>
#else
    /// <summary>Connects to the service, or starts the sample.</summary>
#endif
    public static async Task<OrderService> StartAsync(CancellationToken cancellationToken)
    {
        var address = Environment.GetEnvironmentVariable("SERVICE_URL") is { Length: > 0 } url ? url : UsualAddress;
        var sample = address.Length > 0 ? null : await SampleProcess.StartAsync(cancellationToken);
#if (evented)
        var service = new OrderService(sample?.Address ?? new Uri(address), sample);
        try
        {
            await service.ListenAsync(cancellationToken);
            return service;
        }
        catch
        {
            await service.DisposeAsync();
            throw;
        }
#else
        return new OrderService(sample?.Address ?? new Uri(address), sample);
#endif
    }

    /// <summary>
    /// What it runs on. Only runs with the same durability are compared: say how yours keeps its data.
    /// </summary>
    public override BackendInfo Describe() => new()
    {
        Product = _sample is null ? "order service" : "sample service",
        Durability = _sample is null ? "as deployed" : "none: memory",
        Provision = _sample is null ? "external" : "started by the tests",
    };

#if (evented)
    /// <summary>Sends an order, by the key that its event will carry.</summary>
#else
    /// <summary>Sends an order, with a key of its own.</summary>
#endif
    public Task<HttpResponseMessage> SendAsync(string key, CancellationToken cancellationToken) =>
        _http.PostAsJsonAsync("/orders", new { id = key }, cancellationToken);

#if (evented)
    protected override async ValueTask StopAsync()
    {
#if (stream)
        await _stop.CancelAsync();
#endif
        try
        {
#if (rabbitmq)
            await (_connection?.DisposeAsync() ?? ValueTask.CompletedTask);
#else
            await _listening;
#endif
        }
        finally
        {
            _http.Dispose();
            await (_sample?.DisposeAsync() ?? ValueTask.CompletedTask);
#if (stream)
            _stop.Dispose();
#endif
        }
    }
#else
    protected override async ValueTask StopAsync()
    {
        _http.Dispose();
        await (_sample?.DisposeAsync() ?? ValueTask.CompletedTask);
    }
#endif
#if (rabbitmq)

    private async Task ListenAsync(CancellationToken cancellationToken)
    {
        var broker = Environment.GetEnvironmentVariable("BROKER_URL") is { Length: > 0 } url ? url : UsualBroker;
        _connection = await new ConnectionFactory { Uri = new Uri(broker) }.CreateConnectionAsync(cancellationToken);
        var channel = await _connection.CreateChannelAsync(cancellationToken: cancellationToken);
        await channel.ExchangeDeclareAsync(Exchange, ExchangeType.Fanout, durable: true, cancellationToken: cancellationToken);
        var queue = await channel.QueueDeclareAsync(cancellationToken: cancellationToken); // Ours alone; it goes when we go.
        await channel.QueueBindAsync(queue.QueueName, Exchange, routingKey: "", cancellationToken: cancellationToken);
        var consumer = new AsyncEventingBasicConsumer(channel);
        consumer.ReceivedAsync += (_, message) =>
        {
            var now = Stopwatch.GetTimestamp(); // First: what follows is no time of the service.
            if (message.BasicProperties.Type == OrderShipped)
            {
                using var body = JsonDocument.Parse(message.Body);
                Observe(OrderShipped, body.RootElement.GetProperty("orderId").GetString()!, now);
            }

            return Task.CompletedTask;
        };
        await channel.BasicConsumeAsync(queue.QueueName, autoAck: true, consumer, cancellationToken);
    }
#elif (stream)

    private async Task ListenAsync(CancellationToken cancellationToken)
    {
        var stream = await _http.GetStreamAsync(new Uri("/events", UriKind.Relative), cancellationToken);
        var ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _listening = ReadAsync(stream, ready);
        await ready.Task.WaitAsync(TimeSpan.FromSeconds(10), cancellationToken);
    }

    private async Task ReadAsync(Stream stream, TaskCompletionSource ready)
    {
        try
        {
            await foreach (var item in SseParser.Create(stream).EnumerateAsync(_stop.Token))
            {
                var now = Stopwatch.GetTimestamp(); // First: what follows is no time of the service.
                if (item.EventType == OrderShipped)
                {
                    Observe(OrderShipped, item.Data, now);
                }
                else if (item.EventType == "ready")
                {
                    ready.SetResult();
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The measurement is over.
        }
        catch (IOException broken)
        {
            ready.TrySetException(
                broken); // Later it leaves events that are lost, and so fails the run, and no other one.
        }
        finally
        {
            await stream.DisposeAsync();
        }
    }
#endif
}

/// <summary>The sample service in a process of its own, on a free port of this machine.</summary>
internal sealed class SampleProcess : IAsyncDisposable
{
    private readonly Process _process;

    private SampleProcess(Process process) => _process = process;

    public int Id => _process.Id;

    public Uri? Address { get; private set; }

    public static async Task<SampleProcess> StartAsync(CancellationToken cancellationToken)
    {
        string[] command =
            [Path.Combine(AppContext.BaseDirectory, "SampleService.dll"), "--urls", "http://127.0.0.1:0",
                "--until-input-ends"];
#if (rabbitmq)
        if (Environment.GetEnvironmentVariable("BROKER_URL") is { Length: > 0 } broker)
        {
            command = [.. command, "--Broker", broker];
        }

#endif
        var process = Process.Start(new ProcessStartInfo("dotnet", command)
        {
            RedirectStandardInput = true, RedirectStandardOutput = true, UseShellExecute = false,
        })!;
        var sample = new SampleProcess(process);
        try
        {
            const string listening = "Listening on ";
            while (await process.StandardOutput.ReadLineAsync(cancellationToken) is { } line)
            {
                if (line.StartsWith(listening, StringComparison.Ordinal))
                {
                    sample.Address = new Uri(line[listening.Length..]);
                    return sample;
                }
            }

            throw new InvalidOperationException(
                "The sample service ended before it listened. Run it by hand to see why: "
                    + "dotnet run --project SampleService");
        }
        catch
        {
            await sample.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(10));
        try
        {
            await _process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            _process.Kill(entireProcessTree: true);
        }

        _process.Dispose();
    }
}
