using Foundation;
using Workflow.Engine;
using Workflow.Events.MassTransit;
using Workflow.WebService.Configuration;

namespace Workflow.WebService.Hosting;

/// <summary>Runs the service from its arguments to its exit code.</summary>
internal static class ServiceHost
{
    private const int Stopped = 0;
    private const int StartFailed = 1;
    private const int SettingsInvalid = 2;

    public static async Task<int> RunAsync(string[] args)
    {
        var builder = WebApp.CreateBuilder(args);
        ServiceSettings settings;
        try
        {
            settings = ServiceSettingsReader.Read(builder.Configuration);
        }
        catch (InvalidSettingsException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return SettingsInvalid;
        }

        try
        {
            // Before all that is measured, and disposed when the engine has come to rest: what is left is sent then.
            using var export = OtlpExport.Start(settings);

            // Started before the engine, which publishes events as soon as it starts, and disposed after it.
            await using var events = settings.RabbitMq is { } options
                ? await RabbitMqEventBus.StartAsync(options, CancellationToken.None)
                : null;
            await using var app = WebApp.Build(
                builder, settings,
                services => EngineFactory.Create(settings, events is null ? [] : [events.Publisher], services));
            return await RunAsync(app, settings, export);
        }
        catch (Exception e)
        {
            await Console.Error.WriteLineAsync(StartFailure.Describe(e, settings));
            return StartFailed;
        }
    }

    private static async Task<int> RunAsync(WebApplication app, ServiceSettings settings, OtlpExport? export)
    {
        // The service listens first: whoever asks while the engine loads hears how far that is.
        var engine = (WorkflowEngine)app.Services.GetRequiredService<Abstractions.IWorkflowEngine>();
        await app.StartAsync();
        await engine.StartAsync(CancellationToken.None);
        foreach (var url in app.Urls)
        {
            await Console.Out.WriteLineAsync($"Now listening on: {url}");
        }

        if ((settings.NodeAddress ?? ListenAddresses.Reachable(app.Urls)) is { } address)
        {
            engine.PublishAddress(address);
        }

        if (settings.StopWhenInputEnds)
        {
            StandardInput.OnEnd(app.Lifetime.StopApplication);
        }

        await app.WaitForShutdownAsync();
        try
        {
            await using (engine)
            {
                await engine.DrainAsync();
                export?.Dispose(); // The last export has the engine's figures: they go with it.
            }
        }
        catch (Exception e)
        {
            Log.StopFailed(app.Logger, e);
        }

        return Stopped;
    }
}
