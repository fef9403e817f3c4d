using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Logging;

namespace IntegrationTests.Shared.Running;

/// <summary>A web server within a test, on a free port of this machine.</summary>
public static class LocalServer
{
    public static async Task<WebApplication> StartAsync(Action<WebApplication> map)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        map(app);
        await app.StartAsync(Cancel);
        return app;
    }
}
