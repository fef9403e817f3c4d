using PerformanceTesting.Backends;

namespace PerformanceTesting.Subjects.Streams;

/// <summary>Arranges a measurement with event streams: service, database and observers.</summary>
internal sealed record StreamArrangement
{
    /// <summary>The service keeps every version of a definition. Its memory grows by what users publish, which is not a leak.</summary>
    private const double VersionBytes = 4_096;

    public required StreamScenario Scenario { get; init; }

    /// <summary>What the service lives on.</summary>
    public required Backend Backend { get; init; }

    /// <summary>Of a soak that lasts for a time; null for other loads.</summary>
    public SoakJournal? Journal { get; init; }

    /// <summary>Starts the service and names the observers.</summary>
    public async Task<Arrangement> ArrangeAsync(CancellationToken cancellationToken)
    {
        var database = await Backend.CreateDatabaseAsync("streams", cancellationToken);
        try
        {
            var subject = await StreamSubject.StartAsync(
                Backend.Name, Scenario.Clients, database.ServiceSettings, cancellationToken);
            var measured = new MeasuredStreams(Scenario, subject, database.Notes);
            return new Arrangement(
                subject,
                [measured],
                [
                    new StreamObserver(measured, subject),
                    .. database.Observe(),
                    .. Scenario.Tier != TierNames.Soak ? Array.Empty<IRunObserver>() : [new LeakObserver(
                        subject, measured, database.LeakProbes,
                        new() { MemoryFloorBytes = new LeakRules().MemoryFloorBytes + (VersionBytes * Scenario.MostPublications) })],
                    .. Journal is null ? Array.Empty<IRunObserver>() : [Journal],
                    new HostObserver(subject),
                    new ResourceObserver([subject.ProcessId], database.Server),
                ],
                database);
        }
        catch
        {
            await database.DisposeAsync();
            throw;
        }
    }
}
