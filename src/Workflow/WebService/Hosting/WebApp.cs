using Microsoft.AspNetCore.Http.Json;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Workflow.Abstractions;
using Workflow.Contracts;
using Workflow.Engine;
using Workflow.WebService.Access;
using Workflow.WebService.Configuration;
using Workflow.WebService.Description;
using Workflow.WebService.Endpoints;
using Workflow.WebService.Metrics;
using Workflow.WebService.Peers;
using Workflow.WebService.Problems;
using Workflow.WebService.Requests;
using Workflow.WebService.Ui;

namespace Workflow.WebService.Hosting;

/// <summary>The HTTP side of the service over any engine.</summary>
internal static class WebApp
{
    public const string DefaultUrl = "http://127.0.0.1:5080";

    /// <summary>
    /// Reads configuration from arguments, environment and <c>appsettings.json</c> beside the assembly.
    /// </summary>
    public static WebApplicationBuilder CreateBuilder(string[] args)
    {
        // The content root is where the assembly is, so that the service behaves alike wherever it is started from.
        var builder = WebApplication.CreateSlimBuilder(
            new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
        builder.WebHost.UseKestrelHttpsConfiguration();
        if (!NamesAddress(builder.Configuration))
        {
            builder.WebHost.UseUrls(DefaultUrl);
        }

        AddLogging(builder);
        return builder;
    }

    public static WebApplication Build(
        WebApplicationBuilder builder, ServiceSettings settings, Func<IServiceProvider, IWorkflowEngine> createEngine)
    {
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.MaxRequestBodySize = settings.MaxBodyBytes * RequestBody.DrainedLimits;
            kestrel.Limits.MaxConcurrentConnections = settings.MaxConnections;
        });

        // Requests are handled on the thread that read them: one hop less, about a quarter more starts per second on
        // PostgreSQL. It asks of every handler that it never blocks; those here wait asynchronously for the engine
        // after at most a body's worth of parsing.
        builder.Services.Configure<SocketTransportOptions>(sockets => sockets.UnsafePreferInlineScheduling = true);
        builder.Services.Configure<JsonOptions>(json => ContractsJson.Configure(json.SerializerOptions));
        builder.Services.AddRequestDecompression(RequestBody.AddCodings);
        builder.Services.AddOpenApi(description => ApiDescription.Configure(description, settings));
        builder.Services.AddSingleton(settings).AddSingleton(TimeProvider.System).AddSingleton<ServiceMetrics>()
            .AddSingleton<RequestBody>()
            .AddSingleton<Sessions>().AddSingleton(createEngine)
            .AddSingleton(provided => new WebSocketPeers(
                PeerEndpoint.LargestFrame(settings), provided.GetRequiredService<TimeProvider>(),
                provided.GetRequiredService<ILogger<WebSocketPeers>>()));
        var app = builder.Build();
        app.UseMiddleware<MetricsMiddleware>();
        app.UseMiddleware<ProblemMiddleware>();
        if (settings.HasPages)
        {
            app.Use(ProblemPage.UseAsync);
            app.Use(Pages.RedirectRootAsync);
        }

        app.UseMiddleware<AccessMiddleware>();
        app.UseMiddleware<StartingMiddleware>();
        app.UseMiddleware<OwnerMiddleware>();
        app.UseRequestDecompression();
        app.UseWebSockets();
        MapRoutes(app);
        return app;
    }

    private static void MapRoutes(WebApplication app)
    {
        var services = app.Services;
        var metrics = services.GetRequiredService<ServiceMetrics>();
        var engine = services.GetRequiredService<IWorkflowEngine>();
        var bodies = services.GetRequiredService<RequestBody>();
        var timeProvider = services.GetRequiredService<TimeProvider>();
        var routes = new RouteMap(app, metrics);
        var bpmn = new BpmnDefinitions(engine);
        new DefinitionEndpoints(engine, bpmn, bodies).Map(routes);
        new DiagramEndpoint(engine).Map(routes);
        new InstanceEndpoints(engine, bodies).Map(routes);
        new SignalEndpoints(engine, bodies).Map(routes);
        new TaskEndpoints(engine, bodies).Map(routes);
        new DeadLetterEndpoints(engine).Map(routes);
        var bulk = new BulkActions(engine);
        new BulkEndpoints(bulk, bodies).Map(routes);
        var settings = services.GetRequiredService<ServiceSettings>();
        new EventEndpoint(engine, metrics, settings.StalledReader, app.Lifetime, timeProvider, app.Logger).Map(routes);
        var readiness = new Readiness(engine, app.Lifetime, timeProvider, app.Logger);
        new OperationEndpoints(engine, metrics, readiness).Map(routes);
        if (engine is WorkflowEngine node)
        {
            new PeerEndpoint(node, settings, app.Lifetime, app.Logger).Map(routes);
        }

        if (settings.HasPages)
        {
            var sessions = services.GetRequiredService<Sessions>();
            new Pages(engine, bpmn, bulk, settings, sessions, bodies, readiness, timeProvider).Map(app, metrics);
        }

        app.MapOpenApi().WithMetadata(new HttpMethodMetadata([HttpMethods.Get, HttpMethods.Head]));
    }

    private static bool NamesAddress(IConfiguration configuration) =>
        new[] { "urls", "http_ports", "https_ports" }.Any(key => !string.IsNullOrEmpty(configuration[key]))
        || configuration.GetSection("Kestrel:Endpoints").GetChildren().Any();

    /// <summary>
    /// Standard output belongs to the lines that say where the service listens; warnings go to standard error.
    /// </summary>
    private static void AddLogging(WebApplicationBuilder builder)
    {
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Logging.AddConsole(console => console.LogToStandardErrorThreshold = LogLevel.Trace);
    }
}
