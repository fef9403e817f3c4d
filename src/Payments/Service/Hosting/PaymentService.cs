using Payments.Service.Api;
using Payments.Service.Consumers;
using Payments.Service.Stores.PostgreSql;

namespace Payments.Service.Hosting;

/// <summary>
/// The running service: store, bus with its consumers, recovery, and HTTP. Also hosted within a test's own process.
/// </summary>
internal sealed class PaymentService : IAsyncDisposable
{
    private const long MaximumBodyBytes = 16 * 1024;
    private readonly IBusControl _bus;
    private readonly Recovery _recovery;
    private readonly PaymentSettings _settings;

    private PaymentService(WebApplication app, IPaymentStore store, PaymentSettings settings) =>
        (App, Store, _settings, _bus, _recovery) =
            (app, store, settings, app.Services.GetRequiredService<IBusControl>(),
                app.Services.GetRequiredService<Recovery>());

    public WebApplication App { get; }
    public IPaymentStore Store { get; }

    /// <summary>The bus, to which tests connect their own consumers before the start.</summary>
    public IBus Bus => _bus;

    public InFlightGauge InFlight => App.Services.GetRequiredService<InFlightGauge>();
    public Uri Address => new(App.Urls.First());

    /// <summary>
    /// A builder that reads configuration from arguments, environment and <c>appsettings.json</c> beside the assembly.
    /// </summary>
    public static WebApplicationBuilder CreateBuilder(string[] args)
    {
        var builder = WebApplication.CreateSlimBuilder(
            new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
        builder.Logging.SetMinimumLevel(LogLevel.Warning)
            .AddConsole(console => console.LogToStandardErrorThreshold = LogLevel.Trace);
        return builder;
    }

    /// <summary>The store of the settings, not prepared yet.</summary>
    public static IPaymentStore CreateStore(PaymentSettings settings) =>
        settings.ConnectionString is { } connectionString
        ? new PostgresPaymentStore(connectionString, settings.Schema, settings.Connections)
        : new MemoryPaymentStore();

    /// <summary>The service, not started yet.</summary>
    /// <param name="store">Ends with the service; null: that of the settings.</param>
    public static PaymentService Create(
        WebApplicationBuilder builder, PaymentSettings settings, IPaymentStore? store = null)
    {
        store ??= CreateStore(settings);
        var app = Build(builder, settings, store);
        return new PaymentService(app, store, settings);
    }

    /// <summary>Starts store, consumers and recovery, and HTTP last, so that the first client can be served.</summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await Store.PrepareAsync(cancellationToken);
        await Transport.StartAsync(_bus, _settings, cancellationToken);
        await _recovery.StartAsync(cancellationToken);
        await App.StartAsync(cancellationToken);
    }

    /// <summary>Stops after the consumers have finished their current messages.</summary>
    public async ValueTask DisposeAsync()
    {
        await App.StopAsync();
        await _recovery.StopAsync();
        await _bus.StopAsync();
        await App.DisposeAsync();
        await Store.DisposeAsync();
    }

    private static WebApplication Build(WebApplicationBuilder builder, PaymentSettings settings, IPaymentStore store)
    {
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.MaxRequestBodySize = MaximumBodyBytes;
        });
        builder.Services.AddProblemDetails().AddExceptionHandler<ErrorHandler>()
            .AddSingleton(settings).AddSingleton(TimeProvider.System).AddSingleton(store)
            .AddSingleton<InFlightGauge>().AddSingleton<EventPublisher>().AddSingleton<PaymentProgress>()
            .AddSingleton<FailureLog>()
            .AddSingleton(s => Transport.Create(
                settings, s.GetRequiredService<PaymentProgress>(), s.GetRequiredService<InFlightGauge>(),
                s.GetRequiredService<TimeProvider>(), s.GetRequiredService<FailureLog>()))
            .AddSingleton<IBus>(s => s.GetRequiredService<IBusControl>()).AddSingleton<Recovery>()
            .AddSingleton<PaymentEndpoints>();
        var app = builder.Build();
        app.UseExceptionHandler();
        app.UseStatusCodePages();
        app.Services.GetRequiredService<PaymentEndpoints>().Map(app);
        MetricsEndpoint.Map(app, app.Services.GetRequiredService<InFlightGauge>());
        app.MapGet("/health/ready", async (IPaymentStore payments, CancellationToken cancellationToken) =>
        {
            await payments.FindAsync(Guid.Empty, cancellationToken);
            return TypedResults.NoContent();
        });
        return app;
    }
}
