using PerformanceTesting.Backends;
using PerformanceTesting.Backends.RabbitMq;

namespace PerformanceTesting.Subjects;

/// <summary>
/// What lies below the systems of a run: each part is measured once, before the first scenario that meets it, so that
/// no scenario's time holds it.
/// </summary>
internal sealed class RunCeilings
{
    private const string NothingOverHttp = "emptyHttpPerSecond is null: nothing on this profile ran over HTTP.";
    private readonly Dictionary<string, CeilingsResult> _known = new(StringComparer.Ordinal);
    private readonly Dictionary<ServerKind, CeilingsResult> _ofStores = [];
    private TransportCeiling? _transport;
    private double? _emptyHttp;

    /// <summary>What the broker carries without an engine, in words.</summary>
    public string TransportAlone => _transport is { } alone
        ? FormattableString.Invariant(
            $"The transport alone in this run: {alone.EventsPerSecond:0} events/s, one at a time in {alone.PublishToConsumeMs:0.0} ms.")
        : throw new InvalidOperationException("No scenario has run over a broker.");

    /// <summary>Measures what a scenario on this backend meets and no scenario before it met.</summary>
    /// <returns>All that is known of the backend; null when nothing is new.</returns>
    public async Task<CeilingsResult?> AddAsync(
        Backend backend, HostingKind hosting, RabbitMqServer? broker, CancellationToken cancellationToken)
    {
        var profile = backend.Name;
        var before = _known.GetValueOrDefault(profile);
        var ceilings = before ?? await BelowAsync(backend, cancellationToken);
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

    /// <summary>
    /// Backends that differ in their notifications only live on one server, which is measured once for all of them.
    /// </summary>
    private async Task<CeilingsResult> BelowAsync(Backend backend, CancellationToken cancellationToken)
    {
        var store = backend.Servers.FirstOrDefault()?.Kind;
        if (store is not null && _ofStores.TryGetValue(store, out var known))
        {
            return known;
        }

        var below = await backend.MeasureCeilingsAsync(cancellationToken);
        below = below with { Notes = [.. below.Notes, NothingOverHttp] };
        if (store is not null)
        {
            _ofStores.Add(store, below);
        }

        return below;
    }

    private static async Task<TransportCeiling> MeasureTransportAsync(
        RabbitMqServer broker, CancellationToken cancellationToken)
    {
        await using var transport = await TransportUnderTest.StartAsync(async consume =>
            await BrokerEventBus.StartAsync(broker, consume, cancellationToken));
        return await TransportCeiling.MeasureAsync(transport, cancellationToken);
    }

    private static async Task<double> MeasureHttpAsync(CancellationToken cancellationToken)
    {
        await using var service = await WebServiceProcess.StartAsync(new WebServiceOptions(), cancellationToken);
        return await HttpCeiling.MeasureAsync(service.BaseAddress, cancellationToken);
    }
}
