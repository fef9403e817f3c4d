using System.Net;
using LoadTesting.Core.Results;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Benchmarks;

/// <summary>A service in this process whose answers take a fixed time without processor time.</summary>
internal sealed class WaitingService : ServiceUnderTest
{
    private readonly WebApplication _app;
    private readonly HttpClient _http;

    private WaitingService(WebApplication app) =>
        (_app, _http) = (app, new HttpClient { BaseAddress = new Uri(app.Urls.Single()) });

    public static async Task<WaitingService> StartAsync(TimeSpan wait, CancellationToken cancellationToken)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        var app = builder.Build();
        app.Urls.Add($"http://{IPAddress.Loopback}:0");
        app.MapGet("/", async (CancellationToken gone) =>
        {
            await Task.Delay(wait, gone);
            return Results.NoContent();
        });
        await app.StartAsync(cancellationToken);
        return new WaitingService(app);
    }

    public override BackendInfo Describe() => new()
    {
        Product = "waiting service", Durability = "none: memory", Provision = "started by the benchmark",
    };

    public Task<HttpResponseMessage> GetAsync(CancellationToken cancellationToken) =>
        _http.GetAsync(new Uri("/", UriKind.Relative), cancellationToken);

    protected override async ValueTask StopAsync()
    {
        _http.Dispose();
        await _app.DisposeAsync();
    }
}
