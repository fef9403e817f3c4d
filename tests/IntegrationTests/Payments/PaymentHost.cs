using System.Net.Http.Json;
using LoadTesting.Core.Load.Events;
using MassTransit;
using Microsoft.AspNetCore.Hosting;
using Payments.Contracts;
using Payments.Service.Hosting;
using Payments.Service.Stores;

namespace IntegrationTests.Payments;

/// <summary>The service in the test process on a free port, with a consumer whose events a test can await.</summary>
internal sealed class PaymentHost : IAsyncDisposable
{
    private readonly PaymentService _service;
    private readonly EventAwaiter _awaiter = new();

    private PaymentHost(PaymentService service) => _service = service;

    public HttpClient Http { get; } = new();

    public IPaymentStore Store => _service.Store;
    public IBus Bus => _service.Bus;

    /// <summary>Every event that came, in order of its coming.</summary>
    public ConcurrentQueue<PaymentEvent> Events { get; } = [];

    /// <summary>Starts the service; its very first event comes here too.</summary>
    /// <param name="settings">Nothing configured when null.</param>
    /// <param name="faults">Puts a store that fails now and then around its own; null: none.</param>
    public static async Task<PaymentHost> StartAsync(
        PaymentSettings? settings = null, Func<IPaymentStore, IPaymentStore>? faults = null)
    {
        settings ??= new PaymentSettings();
        var host = new PaymentHost(Create(settings, faults?.Invoke(PaymentService.CreateStore(settings))));
        var endpoint = ((IReceiveConnector)host.Bus).ConnectReceiveEndpoint(settings.TransportPrefix + "test", e =>
        {
            Keep<PaymentInitiated>(e);
            Keep<PaymentCreated>(e);
            Keep<PaymentSettled>(e);
            Keep<PaymentCompleted>(e);
        });
        await host._service.StartAsync(Cancel);
        await endpoint.Ready.WaitAsync(Cancel);
        host.Http.BaseAddress = host._service.Address;
        return host;

        void Keep<T>(IReceiveEndpointConfigurator e)
            where T : PaymentEvent => e.Handler<T>(context =>
            {
                host.Events.Enqueue(context.Message);
                host._awaiter.Observe(typeof(T).Name, $"{context.Message.PaymentId}");
                return Task.CompletedTask;
            });
    }

    /// <summary>A service on a free port, not started yet.</summary>
    /// <param name="store">Null: that of the settings.</param>
    public static PaymentService Create(PaymentSettings settings, IPaymentStore? store = null)
    {
        var builder = PaymentService.CreateBuilder([]);
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        return PaymentService.Create(builder, settings, store);
    }

    /// <summary>Creates a payment as clients do.</summary>
    public async Task<Guid> PayAsync()
    {
        using var answer = await Http.PostAsJsonAsync(
            "/api/payment/create", new CreatePaymentRequest(100_000, "GBP"), Cancel);
        return (await answer.EnsureSuccessStatusCode().Content
            .ReadFromJsonAsync<CreatePaymentResponse>(Cancel))!.PaymentId;
    }

    /// <summary>Waits for an event of a payment; it may have come already.</summary>
    public async Task EventAsync<T>(Guid paymentId)
        where T : PaymentEvent
    {
        var arrival = await _awaiter.Register(typeof(T).Name, $"{paymentId}", Eventually.Deadline).Arrival;
        var came = string.Join(", ", Events.Select(e => $"{e.GetType().Name} {e.PaymentId}"));
        Assert.False(
            arrival.IsLost,
            $"No {typeof(T).Name} of payment {paymentId} within {Eventually.Deadline.TotalSeconds} s; came: {came}");
    }

    /// <summary>Waits until every payment has its receipt and no message has arrived for a moment.</summary>
    public async Task QuietAsync()
    {
        await Eventually.BecomesAsync(
            () => Store.CountAsync(Cancel),
            counts => counts.Receipts == counts.All && _service.InFlight.Read().Count == 0,
            counts => $"a receipt of every payment; so far: {counts}");
        Assert.True(await _awaiter.WaitForQuietAsync(TimeSpan.FromMilliseconds(100), Eventually.Deadline, Cancel));
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await _service.DisposeAsync();
        _awaiter.Dispose();
    }
}
