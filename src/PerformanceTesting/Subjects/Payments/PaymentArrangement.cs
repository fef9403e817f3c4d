using PerformanceTesting.Backends;
using PerformanceTesting.Backends.RabbitMq;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>Arranges a measurement of a payment scenario: service, database and observers.</summary>
internal sealed record PaymentArrangement
{
    /// <summary>A backlog is to be measured as it is, not made longer by events that are published again.</summary>
    private static readonly TimeSpan NoRepetition = TimeSpan.FromHours(1);

    public required PaymentScenario Scenario { get; init; }

    /// <summary>What the service lives on.</summary>
    public required Backend Backend { get; init; }

    /// <summary>Carries the events. Null (the default) for a bus in this process.</summary>
    public RabbitMqServer? Broker { get; init; }

    /// <summary>Whether counters that a server reports late are waited for.</summary>
    public bool WaitsForReports { get; init; }

    /// <summary>Sends what creates a payment in its own way; null for the plain client.</summary>
    public ILoadEngine? Engine { get; init; }

    /// <summary>Starts the service and names the observers.</summary>
    /// <exception cref="BackendException">The service has no store for this backend.</exception>
    public async Task<Arrangement> ArrangeAsync(CancellationToken cancellationToken)
    {
        var database = await Backend.CreateDatabaseAsync("payments", cancellationToken);
        try
        {
            var settings = (database.PaymentSettings
                ?? throw new BackendException($"Payments do not run on {Backend.Name}. "
                    + $"{database.PaymentsUnsupportedReason}")) with
            {
                SettledMinDelay = Scenario.SettledDelay.Min,
                SettledMaxDelay = Scenario.SettledDelay.Max,
                RepeatAfter = NoRepetition,
            };
            var subject = await PaymentSubject.StartAsync(settings, Broker, Scenario.Awaited, cancellationToken);
            subject.Engine = Engine;
            Scenario.Attach(subject, Backend.Name);
            return new Arrangement(
                subject,
                [Scenario],
                [
                    .. database.Observe(WaitsForReports),
                    .. Broker is null
                        ? Array.Empty<IRunObserver>()
                        : [new CountersObserver(
                            async token => await RabbitMqCollector.StartAsync(Broker.MetricsAddress, token))],
                    new PaymentAccount(Scenario, subject),
                    new HostObserver(subject),
                    new ResourceObserver([Environment.ProcessId], database.Server),
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
