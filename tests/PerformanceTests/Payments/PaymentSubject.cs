using Microsoft.AspNetCore.Hosting;
using Payments.Service.Configuration;
using Payments.Service.Hosting;
using Payments.Service.Stores;

namespace PerformanceTests.Payments;

/// <summary>The payment service in the test process, so that the test's consumers hear its events; its API is called over HTTP all the same.</summary>
internal sealed class PaymentSubject : IAsyncDisposable
{
    private readonly PaymentService _service;
    private readonly ReceiptWatch _receipts;

    private PaymentSubject(PaymentService service, ReceiptWatch receipts, PaymentObserver observer) =>
        (_service, _receipts, Client, Observer) = (service, receipts, new PaymentClient(service.Address), observer);

    public PaymentClient Client { get; }

    public PaymentObserver Observer { get; }

    /// <summary>Starts the test's consumers and the service, on a free port.</summary>
    public static async Task<PaymentSubject> StartAsync(PaymentSettings settings, IReadOnlyList<string> awaited, CancellationToken cancellationToken)
    {
        var builder = PaymentService.CreateBuilder([]);
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var service = PaymentService.Create(builder, settings);
        var (receipts, observer) = (new ReceiptWatch(), new PaymentObserver(awaited));
        service.Bus.ConnectReceiveObserver(receipts);
        var listening = observer.Connect(service.Bus);
        await service.StartAsync(cancellationToken);
        await listening.Ready.WaitAsync(cancellationToken);
        return new PaymentSubject(service, receipts, observer);
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
    }
}
