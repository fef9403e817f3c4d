using LoadTesting.Core.Load.Events;
using MassTransit;
using Microsoft.AspNetCore.Hosting;
using Payments.Contracts.Events;
using Payments.Service.Configuration;
using Payments.Service.Hosting;
using Payments.Service.Stores;
using PerformanceTesting.Backends.RabbitMq;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>
/// The payment service in the test process, so that the test's consumers hear its events; its API is called over HTTP
/// all the same.
/// </summary>
internal sealed class PaymentSubject : IMeasuredSystem
{
    private static readonly string[] Queues =
        ["payment-initiated", "payment-created", "payment-settled", "payment-completed"];

    private readonly PaymentService _service;
    private readonly ReceiptWatch _receipts;

    private readonly Func<Task> _removeAsync;

    private PaymentSubject(
        PaymentService service, ReceiptWatch receipts, PaymentObserver observer, Func<Task> removeAsync) =>
        (_service, _receipts, Client, Observer, _removeAsync) =
            (service, receipts, new PaymentClient(service.Address), observer,
            removeAsync);

    public HostingKind Hosting => HostingKind.InProcess;

    public int ProcessId => Environment.ProcessId;

    public EventAwaiter Awaiter => Observer.Awaiter;

    public IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit => Observer.ServerSplit;

    /// <summary>The broker's transport in words; null if the bus is in this process.</summary>
    public string? Broker { get; private init; }

    public PaymentClient Client { get; }

    public PaymentObserver Observer { get; }

    /// <summary>Starts the test's consumers and the service, on a free port.</summary>
    /// <param name="settings">Of the service, but for the bus.</param>
    /// <param name="broker">Carries the events; null for a bus in this process.</param>
    /// <param name="awaited">Events that somebody waits for.</param>
    public static async Task<PaymentSubject> StartAsync(
        PaymentSettings settings, RabbitMqServer? broker, IReadOnlyList<string> awaited,
        CancellationToken cancellationToken)
    {
        var prefix = broker is null ? "" : RabbitMqServer.NewPrefix();
        settings = settings with { BrokerConnectionString = broker?.ConnectionString, TransportPrefix = prefix };
        var builder = PaymentService.CreateBuilder([]);
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var service = PaymentService.Create(builder, settings);
        var (receipts, observer) = (new ReceiptWatch(), new PaymentObserver(awaited));
        service.Bus.ConnectReceiveObserver(receipts);
        var listening = observer.Connect(service.Bus, prefix);
        await service.StartAsync(cancellationToken);
        await listening.Ready.WaitAsync(cancellationToken);
        return new PaymentSubject(
            service, receipts, observer,
            () => broker?.RemoveAsync(prefix, typeof(PaymentEvent), [.. Queues, PaymentObserver.Queue])
                ?? Task.CompletedTask)
        {
            Broker = broker is null ? null : OverBroker(settings),
        };
    }

    private static string OverBroker(PaymentSettings settings) =>
        "Events go over RabbitMQ: persistent messages, durable classic queues, publisher confirms; each of the "
            + $"service's four consumers has prefetch {settings.ConcurrentMessages}, the test's own "
            + $"{PaymentObserver.ConcurrentMessages}. All were bound before the load began, and the warm-up's events "
            + "had come.";

    /// <summary>Waits until this many payments have their receipts.</summary>
    public Task<long> WaitForReceiptsAsync(long count, TimeSpan timeout, CancellationToken cancellationToken) =>
        _receipts.WaitAsync(count, timeout, cancellationToken);

    /// <summary>Integral of the service's own gauge, in payments x seconds.</summary>
    public double InFlightSeconds => _service.InFlight.Read().Seconds;

    /// <summary>
    /// Sends what creates a measured payment in its own way; null for the plain client, which also warms up.
    /// </summary>
    public ILoadEngine? Engine { get; set; }

    public void BeginMeasuring()
    {
        Observer.BeginMeasuring();
        Client.Engine = Engine;
    }

    public Task<PaymentCounts> CountAsync(CancellationToken cancellationToken) =>
        _service.Store.CountAsync(cancellationToken);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _service.DisposeAsync();
        Observer.Dispose();
        _receipts.Dispose();
        await _removeAsync();
    }
}
