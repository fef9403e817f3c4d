using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace CompatibilityTests;

/// <summary>A small web service on a free port.</summary>
internal sealed class HttpTarget : IAsyncDisposable
{
    private readonly WebApplication _app;

    private HttpTarget(WebApplication app) => _app = app;

    public string Address => _app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();
    public ConcurrentBag<string> Updated { get; } = [];

    public static async Task<HttpTarget> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        var target = new HttpTarget(app);
        app.MapGet("/users/{id:int}", (int id) => Results.Content($$"""{"id":{{id}},"name":"user {{id}}"}""", "application/json"));
        app.MapPost("/users", (HttpContext context) =>
        {
            context.Response.Headers["x-served-by"] = "target";
            return Results.StatusCode(201);
        });
        app.MapPut("/users/{id:int}", async (HttpContext context) =>
        {
            target.Updated.Add(await new StreamReader(context.Request.Body).ReadToEndAsync());
            return Results.NoContent();
        });
        await app.StartAsync();
        return target;
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();
}
