using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Logging;

namespace IntegrationTests.WebService;

/// <summary>A server of a test's own, on a free port of this machine.</summary>
internal static class LocalServer
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
