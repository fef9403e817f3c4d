using Workflow.Abstractions.Notifications;

namespace PerformanceTesting.Backends;

/// <summary>How the nodes of one system under test notify each other.</summary>
public abstract class SignalChannel
{
    /// <summary>Key of the setting that chooses a driver.</summary>
    protected const string ProviderKey = "WorkflowSignalDriver:Provider";

    /// <summary>Settings of a web service on this channel.</summary>
    public abstract IReadOnlyDictionary<string, string> ServiceSettings { get; }

    /// <summary>What a reader of a result has to keep in mind.</summary>
    public virtual IReadOnlyList<string> Notes => [];

    /// <summary>A notifier of one engine; null for the store's own way.</summary>
    public virtual INotifier? CreateNotifier() => null;

    /// <summary>What watches the server of the channel during a run.</summary>
    public virtual IReadOnlyList<IRunObserver> Observe() => [];
}
