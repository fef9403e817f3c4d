using PerformanceTesting.Backends;

namespace PerformanceTesting.Subjects.Streams;

/// <summary>Arranges a measurement with event streams: service, database and observers.</summary>
internal sealed record StreamArrangement
{
    /// <summary>
    /// The service keeps every version of a definition. Its memory grows by what users publish, which is not a leak.
    /// </summary>
    private const double VersionBytes = 4_096;

    public required StreamScenario Scenario { get; init; }

    /// <summary>What the service lives on.</summary>
    public required Backend Backend { get; init; }

    /// <summary>The journal of a soak with a duration; null for other loads.</summary>
    public SoakJournal? Journal { get; init; }

    /// <summary>Starts the service and names the observers.</summary>
    public async Task<Arrangement> ArrangeAsync(CancellationToken cancellationToken)
    {
        var database = await Backend.CreateDatabaseAsync("streams", cancellationToken);
        try
        {
            var subject = await StreamSubject.StartAsync(
                Backend.Name, Scenario.Clients, database.ServiceSettings, cancellationToken);
            Scenario.Attach(subject, database.Notes);
            Scenario.Remaining = Journal?.Remaining;
            return new Arrangement(
                subject,
                [Scenario],
                [
                    new StreamObserver(Scenario, subject),
                    .. database.Observe(),
                    .. Scenario.Tier != TierNames.Soak
                        ? Array.Empty<IRunObserver>()
                        : [new LeakObserver(subject, Scenario, database.LeakProbes, RulesOfGrowth())],
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

    private LeakRules RulesOfGrowth()
    {
        var rules = new LeakRules();
        return rules with { MemoryFloorBytes = rules.MemoryFloorBytes + (VersionBytes * Scenario.MostPublications) };
    }
}
