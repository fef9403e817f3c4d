using Workflow.Abstractions.Events;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Engine;
using Workflow.Engine.Configuration;
using Workflow.WebService.Activities;
using Workflow.WebService.Configuration;
using Workflow.WebService.Peers;

namespace Workflow.WebService.Hosting;

internal static class EngineFactory
{
    public static WorkflowEngine Create(
        ServiceSettings settings, IReadOnlyList<IEventPublisher> publishers, IServiceProvider services)
    {
        var defaults = new WorkflowEngineOptions();
        var lanes = settings.Lanes ?? defaults.Lanes;
        var options = defaults with
        {
            Lanes = lanes,
            MaxStepsPerCommand = settings.MaxStepsPerCommand ?? defaults.MaxStepsPerCommand,
            MaxWorkPerCommand = settings.MaxWorkPerCommand ?? defaults.MaxWorkPerCommand,
            Limits = settings.Limits,
            Retention = settings.Retention,
            Residency = settings.Residency,
            Activities = [EchoActivity.Create(), HttpActivity.Create(settings.HttpActivityAllow)],
            SignalReceivers = settings.SignalReceivers.Select(name => new SignalReceiver { Name = name }).ToArray(),
            Cluster = settings.Cluster with
            {
                Notifier =
                    CreateNotifier(settings, lanes, services), Peers = services.GetRequiredService<WebSocketPeers>(),
            },
            Publishers = publishers,
            PublishesDefinitions = settings.PublishesDefinitions,
            RefusesUnreceivedSignals = settings.RefusesUnreceivedSignals,
        };
        var store = Adapters.Store(settings.Provider);
        return new WorkflowEngine(
            store.Create(new StoreSettings { ConnectionString = settings.ConnectionString, Schema = settings.Schema }),
            options,
            services.GetRequiredService<TimeProvider>(),
            services.GetRequiredService<ILoggerFactory>());
    }

    private static INotifier CreateNotifier(ServiceSettings settings, int lanes, IServiceProvider services)
    {
        var notifierSettings = new NotifierSettings
        {
            ConnectionString = settings.SignalDriverConnectionString ?? settings.ConnectionString ?? "",
            Lanes = lanes,
            ChannelPrefix = settings.ChannelPrefix,
            Cluster = settings.Schema,
        };
        return Adapters.Notifier(settings.SignalDriver, settings.Provider)?.Create(notifierSettings, services)
            ?? settings.Cluster.Notifier;
    }
}
