using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Events;
using PerformanceTesting.Hosting;

namespace PerformanceTests.Running;

/// <summary>What lies below the systems of a run: each part is measured once, before the first scenario that meets it, so that no scenario's time holds it.</summary>
internal sealed class RunCeilings
{
    private const string NothingOverHttp = "emptyHttpPerSecond is null: nothing on this profile ran over HTTP.";
    private readonly Dictionary<BackendProfile, CeilingsResult> _known = [];
    private TransportCeiling? _transport;
    private double? _emptyHttp;

    /// <summary>What the broker carries without an engine, in words.</summary>
    public string TransportAlone => _transport is { } alone
        ? FormattableString.Invariant($"The transport alone, without an engine, in this run: {alone.EventsPerSecond:0} events/s, one event at a time in {alone.PublishToConsumeMs:0.0} ms.")
        : throw new InvalidOperationException("No scenario has run over a broker.");

    /// <summary>Measures what a scenario on this profile meets and no scenario before it met.</summary>
    /// <returns>All that is known of the profile; null when nothing is new.</returns>
    public async Task<CeilingsResult?> AddAsync(
        BackendCatalog catalog, BackendProfile profile, HostingKind hosting, RabbitMqServer? broker, CancellationToken cancellationToken)
    {
        var before = _known.GetValueOrDefault(profile);
        var ceilings = before ?? await BelowAsync(catalog, profile, cancellationToken);
        if (broker is not null && ceilings.TransportEventsPerSecond is null)
        {
            _transport ??= await MeasureTransportAsync(broker, cancellationToken);
            ceilings = ceilings with
            {
                TransportEventsPerSecond = _transport.EventsPerSecond,
                TransportMs = _transport.PublishToConsumeMs,
                Notes = [.. ceilings.Notes, TransportCeiling.Method],
            };
        }

        if (hosting == HostingKind.Http && ceilings.EmptyHttpPerSecond is null)
        {
            _emptyHttp ??= await MeasureHttpAsync(cancellationToken);
            ceilings = ceilings with
            {
                EmptyHttpPerSecond = _emptyHttp,
                Notes = [.. ceilings.Notes.Where(note => note != NothingOverHttp), HttpCeiling.Method],
            };
        }

        _known[profile] = ceilings;
        return ReferenceEquals(ceilings, before) ? null : ceilings;
    }

    private static async Task<CeilingsResult> BelowAsync(BackendCatalog catalog, BackendProfile profile, CancellationToken cancellationToken)
    {
        var below = profile == BackendProfile.Memory
            ? new CeilingsResult { Notes = ["fsync, commits and round trip are null: memory commits nothing and has no server to ask."] }
            : profile.IsOracle
            ? new CeilingsResult { Notes = ["fsync, commits and round trip are null: they are measured on PostgreSQL and MongoDB only."] }
            : profile.IsMongo
            ? await (await catalog.MongoAsync(cancellationToken)).MeasureCeilingsAsync(cancellationToken)
            : await new PostgresCeilings(await catalog.PostgresAsync(cancellationToken)).MeasureAsync(cancellationToken);
        return below with { Notes = [.. below.Notes, NothingOverHttp] };
    }

    private static async Task<TransportCeiling> MeasureTransportAsync(RabbitMqServer broker, CancellationToken cancellationToken)
    {
        await using var transport = await TransportUnderTest.StartAsync(async consume => await BrokerEventBus.StartAsync(broker, consume, cancellationToken));
        return await TransportCeiling.MeasureAsync(transport, cancellationToken);
    }

    private static async Task<double> MeasureHttpAsync(CancellationToken cancellationToken)
    {
        await using var service = await WebServiceProcess.StartAsync(new WebServiceOptions(), cancellationToken);
        return await HttpCeiling.MeasureAsync(service.BaseAddress, cancellationToken);
    }
}
