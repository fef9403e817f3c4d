namespace Payments.Service.Hosting;

/// <summary>Runs the service from its arguments to its exit code.</summary>
internal static class ServiceHost
{
    private const string DefaultUrl = "http://127.0.0.1:5090";
    private const int Stopped = 0;
    private const int StartFailed = 1;
    private const int SettingsInvalid = 2;

    public static async Task<int> RunAsync(string[] args)
    {
        var builder = PaymentService.CreateBuilder(args);
        if (new[] { "urls", "http_ports", "https_ports" }.All(key => string.IsNullOrEmpty(builder.Configuration[key])))
        {
            builder.WebHost.UseUrls(DefaultUrl);
        }

        try
        {
            var settings = PaymentSettingsReader.Read(builder.Configuration);
            await using var service = PaymentService.Create(builder, settings);
            await service.StartAsync(CancellationToken.None);
            await Console.Out.WriteLineAsync($"Now listening on: {service.Address}");
            if (settings.StopWhenInputEnds)
            {
                StandardInput.OnEnd(service.App.Lifetime.StopApplication);
            }

            await service.App.WaitForShutdownAsync();
            return Stopped;
        }
        catch (InvalidSettingsException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return SettingsInvalid;
        }
        catch (Exception e) when (e is StoreUnavailableException or IOException or InvalidOperationException)
        {
            await Console.Error.WriteLineAsync($"The service did not start. {e.Message}");
            return StartFailed;
        }
    }
}
