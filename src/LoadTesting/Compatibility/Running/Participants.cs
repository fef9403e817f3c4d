using System.Data;
using System.Threading.Channels;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;

namespace LoadTesting.Running;

/// <summary>The sinks and plugins of a session. Sinks are called beside the load, one call after the other.</summary>
internal sealed class Participants(NBomberContext context, SessionContext session, TimeSpan interval) : IAsyncDisposable
{
    private readonly Channel<ScenarioStats[]> _realtime = Channel.CreateUnbounded<ScenarioStats[]>();
    private Task _saving = Task.CompletedTask;
    private bool _isStarted;

    public IReadOnlyList<IWorkerPlugin> Plugins => context.WorkerPlugins;

    private IReadOnlyList<IReportingSink> Sinks => context.Reporting.Sinks;

    public async Task StartAsync(ScenarioStartInfo[] scenarios)
    {
        var infra = context.InfraConfig ?? SettingsReader.None;
        foreach (var plugin in Plugins)
        {
            await plugin.Init(session, infra).ConfigureAwait(false);
        }

        foreach (var sink in Sinks)
        {
            await sink.Init(session, infra).ConfigureAwait(false);
        }

        _isStarted = true;
        var info = new SessionStartInfo(scenarios);
        await EachAsync(Plugins, plugin => plugin.PluginName, "Start", plugin => plugin.Start(info))
            .ConfigureAwait(false);
        await EachAsync(Sinks, sink => sink.SinkName, "Start", sink => sink.Start(info)).ConfigureAwait(false);
        _saving = Task.Run(SaveRealtimeAsync);
    }

    public void Queue(ScenarioStats[] stats) => _realtime.Writer.TryWrite(stats);

    /// <summary>Waits until the sinks have everything.</summary>
    public async Task DrainAsync()
    {
        _realtime.Writer.TryComplete();
        await _saving.ConfigureAwait(false);
    }

    public async Task<IReadOnlyList<DataSet>> GetStatsAsync(NodeStats stats)
    {
        var sets = new List<DataSet>();
        await EachAsync(Plugins, plugin => plugin.PluginName, "GetStats", async plugin =>
        {
            if (await plugin.GetStats(stats).ConfigureAwait(false) is { } set)
            {
                sets.Add(set);
            }
        }).ConfigureAwait(false);
        return sets;
    }

    public Task SaveFinalAsync(NodeStats stats) =>
        EachAsync(Sinks, sink => sink.SinkName, "SaveFinalStats", sink => sink.SaveFinalStats(stats));

    public async ValueTask DisposeAsync()
    {
        await DrainAsync().ConfigureAwait(false);
        if (_isStarted)
        {
            await EachAsync(Plugins, plugin => plugin.PluginName, "Stop", plugin => plugin.Stop())
                .ConfigureAwait(false);
            await EachAsync(Sinks, sink => sink.SinkName, "Stop", sink => sink.Stop()).ConfigureAwait(false);
        }

        await EachAsync(Plugins, plugin => plugin.PluginName, "Dispose", Disposed).ConfigureAwait(false);
        await EachAsync(Sinks, sink => sink.SinkName, "Dispose", Disposed).ConfigureAwait(false);
    }

    private static Task Disposed(IDisposable participant)
    {
        participant.Dispose();
        return Task.CompletedTask;
    }

    private async Task SaveRealtimeAsync()
    {
        await foreach (var stats in _realtime.Reader.ReadAllAsync().ConfigureAwait(false))
        {
            await EachAsync(
                Sinks, sink => sink.SinkName, $"SaveRealtimeStats (every {interval})",
                sink => sink.SaveRealtimeStats(stats))
                .ConfigureAwait(false);
        }
    }

    /// <summary>A participant that fails is reported, and does not spoil the measurement.</summary>
    private async Task EachAsync<T>(
        IEnumerable<T> participants, Func<T, string> nameOf, string what, Func<T, Task> call)
    {
        foreach (var participant in participants)
        {
            try
            {
                await call(participant).ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                session.ReportFailure(exception, $"{nameOf(participant)} failed in {what}");
            }
        }
    }
}
