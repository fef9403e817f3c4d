using PerformanceTesting.Backends;
using Microsoft.AspNetCore.Hosting;
using Payments.Contracts.Events;
using Payments.Service.Configuration;
using Payments.Service.Hosting;
using Payments.Service.Stores;

namespace PerformanceTests.Payments;

/// <summary>The payment service in the test process, so that the test's consumers hear its events; its API is called over HTTP all the same.</summary>
internal sealed class PaymentSubject : IAsyncDisposable
{
    private static readonly string[] Queues = ["payment-initiated", "payment-created", "payment-settled", "payment-completed"];

    private readonly PaymentService _service;
    private readonly ReceiptWatch _receipts;

    private readonly Func<Task> _removeAsync;

    private PaymentSubject(PaymentService service, ReceiptWatch receipts, PaymentObserver observer, Func<Task> removeAsync) =>
        (_service, _receipts, Client, Observer, _removeAsync) = (service, receipts, new PaymentClient(service.Address), observer, removeAsync);

    public PaymentClient Client { get; }

    public PaymentObserver Observer { get; }

    /// <summary>Starts the test's consumers and the service, on a free port.</summary>
    /// <param name="settings">Of the service, but for the bus.</param>
    /// <param name="broker">Carries the events; null: the bus is within this process.</param>
    /// <param name="awaited">Events that somebody waits for.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public static async Task<PaymentSubject> StartAsync(
        PaymentSettings settings, RabbitMqServer? broker, IReadOnlyList<string> awaited, CancellationToken cancellationToken)
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
            service, receipts, observer, () => broker?.RemoveAsync(prefix, typeof(PaymentEvent), [.. Queues, PaymentObserver.Queue]) ?? Task.CompletedTask);
    }

    /// <summary>Waits until so many payments have got their receipts: nothing is left to do for them.</summary>
    public Task<long> WaitForReceiptsAsync(long count, TimeSpan timeout, CancellationToken cancellationToken) =>
        _receipts.WaitAsync(count, timeout, cancellationToken);

    /// <summary>Integral of the service's own gauge, in payments x seconds.</summary>
    public double InFlightSeconds => _service.InFlight.Read().Seconds;

    public Task<PaymentCounts> CountAsync(CancellationToken cancellationToken) => _service.Store.CountAsync(cancellationToken);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _service.DisposeAsync();
        Observer.Dispose();
        _receipts.Dispose();
        await _removeAsync();
    }
}
