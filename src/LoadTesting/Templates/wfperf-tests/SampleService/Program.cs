#if (evented)
// A service to try the tests on. POST /orders takes an order; ShippingTime later the order is shipped, and the event
// OrderShipped says so.
using System.Diagnostics;
#else
// A service to try the tests on. POST /orders ships an order, which takes 5 ms, and then answers.
#endif
#if (rabbitmq)
using System.Text.Json;
#elif (stream)
using System.Collections.Concurrent;
using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
#endif
#if (evented)
using System.Threading.Channels;
#endif
#if (rabbitmq)
using RabbitMQ.Client;
#endif

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.SetMinimumLevel(LogLevel.Warning);
#if (evented)
builder.Services.AddSingleton(Channel.CreateBounded<Order>(10_000));
builder.Services.AddSingleton<Events>();
builder.Services.AddHostedService<Shipping>();
#endif
var app = builder.Build();

app.MapGet("/health", () => Results.Ok());
#if (evented)
app.MapPost("/orders", (Order order, Channel<Order> orders) =>
    string.IsNullOrEmpty(order.Id) ? Results.BadRequest("An order needs an id.")
    : orders.Writer.TryWrite(order with { Taken = Stopwatch.GetTimestamp() }) ? Results.Accepted()
    : Results.StatusCode(StatusCodes.Status503ServiceUnavailable));
#else
app.MapPost("/orders", async (Order order) =>
{
    if (string.IsNullOrEmpty(order.Id))
    {
        return Results.BadRequest("An order needs an id.");
    }

    await Task.Delay(TimeSpan.FromMilliseconds(5));
    return Results.Ok(order);
});
#endif
#if (stream)
app.MapGet(
    "/events", (Events events, CancellationToken gone) => TypedResults.ServerSentEvents(events.SubscribeAsync(gone)));
#endif

#if (rabbitmq)
await app.Services.GetRequiredService<Events>().OpenAsync(new Uri(app.Configuration["Broker"] ?? "BROKER_ADDRESS_OF_YOURS"));
#endif
await app.StartAsync();
Console.WriteLine($"Listening on {app.Urls.First()}");

// Who started it with an open input ends it by closing that: nothing stays behind, even when the tests are killed.
if (args.Contains("--until-input-ends"))
{
    await Console.In.ReadToEndAsync();
    await app.StopAsync();
}

await app.WaitForShutdownAsync();

#if (evented)
/// <summary>An order. Taken: when it came, by the monotonic clock.</summary>
internal sealed record Order(string Id, long Taken = 0);
#else
internal sealed record Order(string Id);
#endif
#if (evented)

/// <summary>Ships orders in the order in which they came.</summary>
internal sealed class Shipping(Channel<Order> orders, Events events) : BackgroundService
{
    private static readonly TimeSpan ShippingTime = TimeSpan.FromMilliseconds(5);

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        await foreach (var order in orders.Reader.ReadAllAsync(stoppingToken))
        {
            if (ShippingTime - Stopwatch.GetElapsedTime(order.Taken) is { Ticks: > 0 } rest)
            {
                await Task.Delay(rest, stoppingToken);
            }

            await events.PublishAsync(order.Id, stoppingToken);
        }
    }
}

#endif
#if (rabbitmq)
/// <summary>Publishes to an exchange, and waits for the broker's confirm.</summary>
internal sealed class Events : IAsyncDisposable
{
    private IConnection? _connection;
    private IChannel? _channel;

    public async Task OpenAsync(Uri broker)
    {
        _connection = await new ConnectionFactory { Uri = broker }.CreateConnectionAsync();
        _channel = await _connection.CreateChannelAsync(
            new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true));
        await _channel.ExchangeDeclareAsync("EXCHANGE_OF_YOURS", ExchangeType.Fanout, durable: true);
    }

    public async Task PublishAsync(string orderId, CancellationToken cancellationToken) => await _channel!.BasicPublishAsync(
        "EXCHANGE_OF_YOURS", routingKey: "", mandatory: false, new BasicProperties { Type = "OrderShipped", Persistent = true },
        JsonSerializer.SerializeToUtf8Bytes(new { orderId }), cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await (_channel?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_connection?.DisposeAsync() ?? ValueTask.CompletedTask);
    }
}
#elif (stream)
/// <summary>
/// Sends to all who listen at /events: an event "ready" first, then an event "OrderShipped" with the id of each order.
/// </summary>
internal sealed class Events
{
    private readonly ConcurrentDictionary<Channel<SseItem<string>>, bool> _listeners = new();

    public async IAsyncEnumerable<SseItem<string>> SubscribeAsync([EnumeratorCancellation] CancellationToken gone)
    {
        var listener = Channel.CreateUnbounded<SseItem<string>>();
        _listeners[listener] = true;
        try
        {
            yield return new SseItem<string>("now", "ready");
            await foreach (var shipped in listener.Reader.ReadAllAsync(gone))
            {
                yield return shipped;
            }
        }
        finally
        {
            _listeners.TryRemove(listener, out _);
        }
    }

    public Task PublishAsync(string orderId, CancellationToken cancellationToken)
    {
        foreach (var listener in _listeners.Keys)
        {
            listener.Writer.TryWrite(new SseItem<string>(orderId, "OrderShipped"));
        }

        return Task.CompletedTask;
    }
}
#endif
