namespace LoadTesting.Core.Load.Watches;

/// <summary>Combines several sources. Each figure comes from the first source that knows it.</summary>
public sealed class CombinedTimeline(IReadOnlyList<ITimelineSource> sources) : ITimelineSource
{
    public async ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken)
    {
        var all = new TimelineReading();
        foreach (var source in sources)
        {
            var one = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            all = new TimelineReading
            {
                GeneratorCpuSeconds = all.GeneratorCpuSeconds ?? one.GeneratorCpuSeconds,
                ServiceCpuSeconds = all.ServiceCpuSeconds ?? one.ServiceCpuSeconds,
                DatabaseCpuSeconds = all.DatabaseCpuSeconds ?? one.DatabaseCpuSeconds,
                MachineCpuSeconds = all.MachineCpuSeconds ?? one.MachineCpuSeconds,
                StolenCpuSeconds = all.StolenCpuSeconds ?? one.StolenCpuSeconds,
                RunDelaySeconds = all.RunDelaySeconds ?? one.RunDelaySeconds,
                Backlog = all.Backlog ?? one.Backlog,
                WaitSeconds = all.WaitSeconds ?? one.WaitSeconds,
                Metrics = all.Metrics ?? one.Metrics,
            };
        }

        return all;
    }
}
