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
            settings = SettingsReader.Read(builder.Configuration);
        }
        catch (InvalidSettingsException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return SettingsInvalid;
        }

        try
        {
            // Started before the engine, which publishes events as soon as it starts, and disposed after it.
            await using var events = settings.RabbitMq is { } options ? await RabbitMqEventBus.StartAsync(options, CancellationToken.None) : null;
            await using var app = WebApp.Build(
                builder, settings, services => EngineFactory.Create(settings, events is null ? [] : [events.Publisher], services));
            return await RunAsync(app, settings);
        }
        catch (Exception e)
        {
            await Console.Error.WriteLineAsync(StartFailure.Describe(e, settings));
            return StartFailed;
        }
    }

    private static async Task<int> RunAsync(WebApplication app, ServiceSettings settings)
    {
        // The engine first: whoever can connect can be served.
        var engine = (WorkflowEngine)app.Services.GetRequiredService<Abstractions.IWorkflowEngine>();
        await engine.StartAsync(CancellationToken.None);
        await app.StartAsync();
        foreach (var url in app.Urls)
        {
            await Console.Out.WriteLineAsync($"Now listening on: {url}");
        }

        if (settings.StopWhenInputEnds)
        {
            StopWhenInputEnds(app.Lifetime);
        }

        await app.WaitForShutdownAsync();
        try
        {
            await engine.DisposeAsync();
        }
        catch (Exception e)
        {
            Log.StopFailed(app.Logger, e);
        }

        return Stopped;
    }

    /// <summary>The pipe ends when its other end is closed, also by the end of the process that holds it.</summary>
    private static void StopWhenInputEnds(IHostApplicationLifetime lifetime)
    {
        var watcher = new Thread(() =>
        {
            while (Console.In.Read() >= 0)
            {
                // What is written there means nothing.
            }

            lifetime.StopApplication();
        })
        { IsBackground = true, Name = "input" };
        watcher.Start();
    }
}
